"""Finds what to show after a model wrote that the notes do not tell: a sentence that does tell, or a few words.

Told that it may say so, a small model says it too often: it reads over "celiac" where a "condition" is asked for. Asked for a few
words and nothing else, it names what is nearest, right or not. Of the two, a check tells which is shown.
"""

from __future__ import annotations

from collections.abc import Callable

from noderag_local.domain.passages import Retrieval
from noderag_local.generation import abstention
from noderag_local.generation.answer_check import AnswerCheck
from noderag_local.generation.answer_prompt import SHORT_TOKENS, compose
from noderag_local.generation.answer_verification import Rejection
from noderag_local.generation.asked_nouns import lacks_value
from noderag_local.generation.citing.citations import annotate
from noderag_local.generation.citing.markers import MARKER, written
from noderag_local.generation.question_language import language_of
from noderag_local.models.llm.engine import Engine, Finish, never
from noderag_local.system.printing.plain_text import printable
from noderag_local.text.stems import all_stems, question_stems

QUOTED = "The language model found no answer. This is the sentence of your notes that has the words of the question."
SECOND = "The language model found this only when it was asked again: see whether the passage says so."
LEAST_SCORE = 1.0
"""Result of the check from which on an answer in a few words is shown. It was chosen on tests/data/lives/calgary with the
default model. Of 90 questions, 19 were first left open, among them 8 that the notes do not answer. From 1.0 on stand four right
answers and one that is wrong, which is to a question that the notes do answer."""


class SecondTry:
    """Looks again for the answer to one question."""

    def __init__(
        self,
        engine: Engine,
        retrieval: Retrieval,
        question: str,
        check: AnswerCheck,
        instead: Callable[[], str],
        was_weighed: bool,
        cancelled: Callable[[], bool] = never,
    ) -> None:
        """Keeps what is needed to look again.

        Args:
            engine: engine that wrote that the notes do not tell. Only a small one is asked again.
            retrieval: the context, and its sources.
            question: as the user asked it.
            check: checks answers to this question.
            instead: returns a sentence of the notes with its marker that tells, or "".
            was_weighed: whether spans of the context were weighed, and none was likely enough. Then the model is not asked again.
            cancelled: called many times a second; when it returns True, nothing is found.
        """
        self._engine, self._retrieval, self._question = engine, retrieval, question
        self._check, self._instead, self._was_weighed, self._cancelled = check, instead, was_weighed, cancelled
        self.worked_tokens = 0
        """Tokens that the model read and wrote, without the check."""

    def found(self) -> Rejection:
        """Returns what to show; without a sentence if the notes do not tell.

        Raises:
            SettingsError: the context does not fit into the model.
            ModelError: the engine failed.
        """
        if quote := self._instead():
            return Rejection(quote, QUOTED)
        engine = self._engine
        if not (engine.is_small and engine.weighs) or self._retrieval.filtering is not None or self._was_weighed:
            return Rejection("", "")
        text = self._few_words()
        if not text or self._tells_nothing(text):
            return Rejection("", "")
        told = annotate(text, self._retrieval.sources, self._question)
        numbers = sorted({number for one in told for number in one.numbers if one.supported})
        score = self._check.score(text, numbers)
        if score is None or score < LEAST_SCORE:
            return Rejection("", "")
        # Where no source has all of its words, that of the passage which the check looked at is cited.
        return Rejection(f"{text} {written(numbers or [self._check.looked_at])}", SECOND)

    def _few_words(self) -> str:
        """Returns the model's answer in a few words; "" if it was cut."""
        language = language_of(self._question, (source.text for source in self._retrieval.sources))
        request = compose(self._retrieval.context, self._question, language, SHORT_TOKENS, short=True)
        stream = self._engine.stream(request, self._cancelled)
        text = MARKER.sub("", printable("".join(stream))).strip()
        self.worked_tokens += stream.result.worked_tokens
        return text if stream.result.finish is Finish.STOP else ""

    def _tells_nothing(self, text: str) -> bool:
        """Returns whether words are no answer: only those of the question, or a denial, or not the value that is asked for."""
        if abstention.is_sign(text) or abstention.is_denial(text):
            return True
        asked = all_stems(self._question)
        says_more = any(not stems & asked for stems in question_stems(text).values()) or any(map(str.isdigit, text))
        return not says_more or lacks_value(self._question, text, self._retrieval.sources)
