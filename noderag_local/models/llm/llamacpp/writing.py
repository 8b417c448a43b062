"""Writes a text token by token: chooses each token, follows the constraint and detects the end."""

from __future__ import annotations

from statistics import fmean

from noderag_local.models.llm.engine import Constraint, Finish, Request
from noderag_local.models.llm.llamacpp.sampling import Scores, choose, drawn, log_probability, must_end
from noderag_local.models.llm.llamacpp.tokenizer import Vocabulary
from noderag_local.models.llm.text_stream import StreamedText, loops

LOOP_CHECK_TOKENS = 8
"""Number of new tokens after which loops are checked for again."""


class Writing:
    """The answer to one request while it is written; exceptions of its constraint are passed on."""

    def __init__(self, request: Request, vocabulary: Vocabulary) -> None:
        self._request, self._vocabulary = request, vocabulary
        self._constraint: Constraint | None = request.constraint() if request.constraint else None
        self._text = StreamedText(request.stop)
        self._unread: list[int] = []
        self.written = 0
        """Number of tokens, including forced ones."""
        self._tokens: list[int] = []
        self._log_probabilities: list[float] = []
        self._is_weighed = True
        self.finish: Finish | None = None
        """Why the text ended; None while it continues."""

    @property
    def certainty(self) -> float | None:
        """Mean logarithm of the probabilities of the chosen tokens, as `Completion.certainty`."""
        return fmean(self._log_probabilities) if self._log_probabilities else None

    def begin(self) -> str:
        """Writes what the constraint forces at the start; returns the text that is safe to show."""
        if self._request.max_tokens <= 0:
            self.finish = Finish.LENGTH
        return self._forced()

    def go_on(self, scores: Scores) -> str:
        """Writes the next token and any forced ones after it; returns the text that is safe to show.

        Args:
            scores: scores of the token that follows everything returned by `unread`.

        Returns:
            Text that is safe to show, possibly "".
        """
        request, constraint, likely = self._request, self._constraint, scores
        if request.temperature > 0:
            scores = drawn(scores, request.temperature, request.seed, self.written)
        token = choose(scores, self._vocabulary, constraint)
        if token is None:
            self.finish = Finish.STOP if constraint is None or constraint.may_end() else Finish.LENGTH
            return ""
        if token in self._vocabulary.end_tokens:
            self.finish = Finish.STOP
            return ""
        self._weigh(token, likely)
        shown = self._write(token)
        return shown + self._forced()

    def _weigh(self, token: int, scores: Scores) -> None:
        """Takes in how likely a chosen token was, up to the place that the request names."""
        until = self._request.weighed_until
        self._is_weighed = (
            self._is_weighed and until is not None and until.encode() not in self._vocabulary.piece(token)
        )
        if self._is_weighed:
            self._log_probabilities.append(log_probability(scores, token))

    def unread(self) -> list[int]:
        """Returns the written tokens that the model has not read yet, and counts them as read."""
        taken, self._unread = self._unread, []
        return taken

    def rest(self) -> str:
        """Returns text that was held back for a stop string that did not come."""
        return self._text.rest()

    def _forced(self) -> str:
        shown = ""
        while self.finish is None and self._constraint is not None:
            tokens = self._spelling(self._constraint.forced())
            for token in tokens:
                if self.finish is None:
                    shown += self._write(token)
            if not tokens:
                break
        # Known without running the model, which saves a step per text.
        if self.finish is None and self._constraint is not None and must_end(self._constraint):
            self.finish = Finish.STOP
        return shown

    def _spelling(self, forced: bytes) -> list[int]:
        """Returns the tokens of forced bytes; none if the tokenizer would change the bytes, and the model then spells them."""
        text = _whole_characters(forced)
        tokens = self._vocabulary.tokens(text)
        return tokens if b"".join(map(self._vocabulary.piece, tokens)) == text.encode() else []

    def _write(self, token: int) -> str:
        piece = self._vocabulary.piece(token)
        if self._constraint is not None:
            self._constraint.accept(piece)
        self._tokens.append(token)
        self._unread.append(token)
        self.written += 1
        shown = self._text.feed(piece)
        if self._text.stopped:
            self.finish = Finish.STOP
        elif self.written % LOOP_CHECK_TOKENS == 0 and loops(self._tokens):
            self.finish = Finish.REPETITION
        elif self.written >= self._request.max_tokens:
            self.finish = Finish.LENGTH
        return shown


def _whole_characters(data: bytes) -> str:
    """Returns the longest start of `data` that ends at a whole character, since the tokenizer must not see part of one."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data[: error.start].decode("utf-8")
