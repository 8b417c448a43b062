"""Answers a question from retrieved passages: a language model writes the answer, or without one the passages are quoted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from noderag_local.domain.errors import ModelMissing
from noderag_local.domain.passages import Citation, Retrieval
from noderag_local.domain.stream import Stream
from noderag_local.generation import abstention
from noderag_local.generation.addresses import without_unread_addresses
from noderag_local.generation.answer_check import AnswerCheck
from noderag_local.generation.answer_prompt import FROM_MEMORY, compose, compose_alone
from noderag_local.generation.answer_verification import AnswerVerifier, Doubt, Rejection, must_be_written
from noderag_local.generation.citing import extractive
from noderag_local.generation.citing.citations import Evidence, annotate
from noderag_local.generation.citing.markers import MARKER, MarkerGate, written
from noderag_local.generation.filtering import filtered
from noderag_local.generation.question_kinds import asks_for_fact, asks_for_span, asks_who_or_where
from noderag_local.generation.question_language import language_of
from noderag_local.generation.second_try import QUOTED, SecondTry
from noderag_local.generation.span_answer import ALWAYS, FACT, Bounds, SpanAnswer, in_words, span_answer
from noderag_local.models.llm.engine import Completion, Engine, Finish, Request, never, read_prompt
from noderag_local.system.log.log_lines import Term
from noderag_local.system.printing.plain_text import printable_pieces

ANSWER_TOKENS = 300

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its citations, its cost and whether the sources support it."""

    text: str
    """The text as it was shown: printable, with markers [n] of existing sources only."""
    citations: tuple[Citation, ...]
    """Every sentence with the sources that it cites; empty for an abstention or a short answer."""
    abstained: bool
    """Whether the answer says that the notes do not contain the answer."""
    finish: Finish
    """Why the answer ended; `LENGTH`, `CANCELLED` and `REPETITION` mean that it was cut."""
    model: str
    """Name of the model; empty for an answer that quotes passages."""
    retrieval: Retrieval
    """The retrieval that the answer is based on; the markers are the numbers of its sources."""
    note: str = ""
    """One line for the user: why the answer was cut, or how to add a model; empty if there is nothing to say."""
    completion: Completion | None = None
    """Cost of the answer; None if no model was used."""
    filter_tokens: int = 0
    """Tokens that the model read and wrote beside the answer, to filter the sources or check it; not counted in `completion`."""
    asked_as: str = ""
    """Rewritten question that was searched for and answered; empty if the question was used as it is."""
    first_piece_seconds: float = 0.0
    """Seconds from the question to the first piece of the answer, search included; 0 if nothing was written."""
    elapsed_seconds: float = 0.0
    """Seconds from the question to the end of the answer."""

    @property
    def was_begun(self) -> bool:
        """Whether there is an answer to show or store; False if it was stopped before the model started."""
        return self.finish is not Finish.CANCELLED or self.completion is not None

    @property
    def llm_tokens(self) -> int:
        """Tokens that the model read and wrote for the answer; those of the search are in `retrieval`."""
        return self.filter_tokens + (self.completion.worked_tokens if self.completion else 0)


_NOTES = {
    Finish.LENGTH: "The answer was cut: it reached answer_tokens.",
    Finish.CANCELLED: "The answer was stopped.",
    Finish.REPETITION: "The answer was cut: the model repeated itself. A larger model may do better: `noderag models list`.",
}

UNSURE = "The language model was unsure of these words: see whether the passage says so."
LEAST_CERTAINTY = -0.4
"""Mean logarithm of the probabilities of an answer's tokens, up to its first citation, below which it is marked as unsure. It was
chosen on the 180 questions of ghent and lisbon in tests/data/lives: 149 are answered in the default model's own words, and 33 of
these are below, 5 right and 28 wrong. Of the other 116, 55 are right."""
NO_SUPPORT = "No source supports this answer: your notes may not tell."
CUT = (Finish.LENGTH, Finish.CANCELLED)
"""Ends in the middle of a sentence."""


class Answerer:
    """Answers questions with an engine or, without one, by quoting passages."""

    def __init__(self, engine: Engine | None, answer_tokens: int = ANSWER_TOKENS) -> None:
        """Keeps the engine that answers (None to quote passages) and the maximum tokens of an answer."""
        self._engine = engine
        self._answer_tokens = answer_tokens

    @property
    def model(self) -> str:
        """Name of the model that answers; "" if passages are quoted instead."""
        return self._engine.name if self._engine else ""

    def stream(
        self,
        retrieval: Retrieval,
        question: str,
        cancelled: Callable[[], bool] = never,
        short: bool = False,
        instead: Callable[[], str] = str,
        doubt: Doubt | None = None,
        is_step: bool = False,
    ) -> Stream[Answer]:
        """Streams the answer to a question from its retrieval.

        The answer to one of several steps, a short answer to who or where, and that of a small model to a question for a fact is a
        span of the context. What else is asked for shortly may be a list or a clause, which a span cuts.

        Args:
            retrieval: context for the model to read, and the sources that markers refer to.
            question: as the user asked it.
            cancelled: called many times a second; when it returns True, the answer ends.
            short: True asks for a short phrase without citations, as benchmarks need it.
            instead: called when the model writes that the notes do not tell; returns a sentence of the notes with its
                marker that does tell, or "".
            doubt: holds the answer back until it is whole and was checked; None does not hold it back for this reason.
            is_step: whether this is one of several steps that a question was taken apart into, or what is left after them.

        Raises:
            SettingsError: context and answer do not fit into the model.
            ModelMissing: the method needs a language model to answer, and there is none.
            ModelError: the model failed.
        """
        if retrieval.without_notes:
            return Stream(self._ask(self._of_memory(retrieval), retrieval, question, cancelled, short))
        if not retrieval.sources:
            return Stream(_abstain(retrieval, question))
        if self._engine is None:
            return Stream(_quote(retrieval, question))
        if bounds := _bounds(self._engine, retrieval, question, short, doubt, is_step):
            found = self._find_span(self._engine, retrieval, question, bounds, cancelled, short, instead, doubt)
            return Stream(found)
        return Stream(self._ask(self._engine, retrieval, question, cancelled, short, instead, doubt))

    def read_ahead(self, retrieval: Retrieval, question: str, cancelled: Callable[[], bool] = never) -> None:
        """Lets the model read what it would read for a question, so that `stream` begins to write sooner.

        Nothing is read without a model, or where the model first chooses among the passages.

        Args:
            retrieval: as for `stream`.
            question: as for `stream`.
            cancelled: called many times a second; when it returns True, reading stops at once. What was read stays useful.

        Raises:
            SettingsError, ModelError: as for `stream`.
        """
        engine = self._engine
        if engine is None or retrieval.filtering is not None or not retrieval.sources:
            return
        is_weighed = _bounds(engine, retrieval, question, short=False, doubt=None, is_step=False) is not None
        request = compose(retrieval.context, question, _language(question, retrieval), self._answer_tokens, is_weighed)
        read_prompt(engine, request, cancelled)

    def _of_memory(self, retrieval: Retrieval) -> Engine:
        """Returns the engine; raises ModelMissing without one, since this method has no passages to quote."""
        if self._engine is None:
            from noderag_local.models.llm.gguf_files.installed import WAY_OUT

            raise ModelMissing(
                f"With the method {retrieval.method!r} only a language model can answer, and none is installed. "
                f"{WAY_OUT} Or choose another method."
            )
        return self._engine

    def _find_span(
        self,
        engine: Engine,
        retrieval: Retrieval,
        question: str,
        bounds: Bounds,
        cancelled: Callable[[], bool],
        short: bool,
        instead: Callable[[], str],
        doubt: Doubt | None,
    ) -> Generator[str, None, Answer]:
        """Answers with a span of the context, lets the model write, or says that the notes do not tell, by the bounds."""
        language = _language(question, retrieval)
        found = span_answer(engine, retrieval, question, language, cancelled, is_fact=bounds == FACT)
        cost = found.completion
        _log.info("weighed spans: %d tokens, %.2f s", cost.worked_tokens, cost.elapsed_seconds)
        is_told = bool(found.text) and found.weight >= bounds.least_told
        if cost.finish is Finish.CANCELLED and not is_told:
            return stopped(retrieval)
        if is_told:
            answer = _told(found, retrieval, question, engine.name, short)
        elif found.weight >= bounds.least_near:
            answer = yield from self._ask(
                engine, retrieval, question, cancelled, short, instead, doubt, was_weighed=True
            )
            return replace(answer, filter_tokens=answer.filter_tokens + cost.worked_tokens)
        else:
            answer = _quoted_instead(instead(), retrieval, question, engine.name, cost)
        yield answer.text
        return answer

    def _request(
        self, engine: Engine, retrieval: Retrieval, question: str, cancelled: Callable[[], bool], short: bool
    ) -> tuple[Request, int]:
        """Returns what the model is asked, and the tokens that filtering the sources before cost."""
        language = _language(question, retrieval)
        if retrieval.without_notes:
            return compose_alone(question, language, self._answer_tokens, short), 0
        context, filter_tokens = _context(engine, retrieval, question, cancelled)
        return compose(context, question, language, self._answer_tokens, short), filter_tokens

    def _ask(
        self,
        engine: Engine,
        retrieval: Retrieval,
        question: str,
        cancelled: Callable[[], bool],
        short: bool,
        instead: Callable[[], str] = str,
        doubt: Doubt | None = None,
        was_weighed: bool = False,
    ) -> Generator[str, None, Answer]:
        language = _language(question, retrieval)
        request, filter_tokens = self._request(engine, retrieval, question, cancelled, short)
        model = engine.stream(request, cancelled)
        known = {source.number for source in retrieval.sources}
        evidence = Evidence(retrieval.sources, question)
        read = (part for source in retrieval.sources for part in (source.title, *source.headings, source.text))
        pieces = without_unread_addresses(printable_pieces(model), question, read)
        check = AnswerCheck(engine, question, retrieval.sources, cancelled)
        again = SecondTry(engine, retrieval, question, check, instead, was_weighed, cancelled)
        gate = MarkerGate(known, None if short else evidence.corrected)
        shown = _Shown(pieces, gate, language, _nothing if short or retrieval.without_notes else again.found)
        is_small = engine.is_small and engine.weighs and bool(retrieval.sources)
        verifier = AnswerVerifier(question, retrieval.sources, evidence, check, doubt, is_small)
        if verifier.is_needed and not short:
            # What was cut cannot be judged.
            shown.verify(lambda text: verifier.rejection(text) if model.result.finish is Finish.STOP else None)
        text = ""
        try:
            for piece in shown:
                text += piece
                yield piece
        finally:
            model.close()
        text = text.rstrip()
        finish = model.result.finish
        abstained = shown.abstained or (not short and abstention.is_denial(text))
        _log_cost(model.result, abstained)
        checked = () if short or abstained else evidence.annotated(text, is_cut=finish in CUT)
        note = shown.note or (stop_note(finish) if checked else "")
        if checked and retrieval.without_notes:
            note = f"{FROM_MEMORY} {note}".rstrip()
        elif _is_unsupported(checked, finish):
            note = f"{NO_SUPPORT} {note}".rstrip()
        elif checked and (model.result.certainty or 0.0) < LEAST_CERTAINTY and not shown.note:
            note = f"{UNSURE} {note}".rstrip()
        filter_tokens += check.worked_tokens + again.worked_tokens
        return Answer(text, checked, abstained, finish, engine.name, retrieval, note, model.result, filter_tokens)


def _bounds(
    engine: Engine, retrieval: Retrieval, question: str, short: bool, doubt: Doubt | None, is_step: bool
) -> Bounds | None:
    """Returns the bounds for a span as the answer; None if the model writes it at once.

    A small model writes where there is doubt, where somebody says it, and where it changed.
    """
    if not engine.weighs or retrieval.filtering is not None:
        return None
    if short or is_step:
        asks_for_one = asks_for_span(question) if is_step else asks_who_or_where(question)
        return ALWAYS if asks_for_one else None
    is_fact = engine.is_small and asks_for_fact(question)
    return FACT if is_fact and not must_be_written(question, retrieval.sources, doubt) else None


def _language(question: str, retrieval: Retrieval) -> str:
    """Returns the language of the answer: the question's, or where that is uncertain, that of the passages."""
    return language_of(question, (source.text for source in retrieval.sources))


def _told(found: SpanAnswer, retrieval: Retrieval, question: str, model: str, short: bool) -> Answer:
    """Returns a span as the answer, with its source unless the answer is short."""
    text = in_words(MARKER.sub("", found.text), _language(question, retrieval))
    if not short and found.source is not None:
        text = f"{text} {written([found.source.number])}"
    cost = found.completion
    checked = () if short else annotate(text, retrieval.sources, question, is_cut=cost.finish in CUT)
    notes = NO_SUPPORT if _is_unsupported(checked, cost.finish) else "", stop_note(cost.finish)
    return Answer(text, checked, False, cost.finish, model, retrieval, " ".join(filter(None, notes)), cost)


def _is_unsupported(checked: tuple[Citation, ...], finish: Finish) -> bool:
    """Returns whether no sentence of an answer is supported, which is not known of a stopped one or of a last sentence that was cut."""
    judged = checked[:-1] if finish in CUT else checked
    return bool(judged) and finish is not Finish.CANCELLED and not any(one.supported for one in judged)


def _quoted_instead(quote: str, retrieval: Retrieval, question: str, model: str, cost: Completion) -> Answer:
    """Returns a sentence of the notes, or without one says that they do not tell."""
    if not quote:
        text = abstention.sentence(_language(question, retrieval))
        return Answer(text, (), True, cost.finish, model, retrieval, completion=cost)
    checked = annotate(quote, retrieval.sources, question)
    return Answer(quote, checked, False, cost.finish, model, retrieval, QUOTED, cost)


def _log_cost(cost: Completion, abstained: bool) -> None:
    _log.info(
        "answered: %d tokens read, %d written in %.2f s, end: %s%s",
        *(cost.prompt_tokens, cost.generated_tokens, cost.elapsed_seconds, cost.finish),
        Term(", abstained" if abstained else ""),
    )


def _context(engine: Engine, retrieval: Retrieval, question: str, cancelled: Callable[[], bool]) -> tuple[str, int]:
    """Returns the context to answer from and the tokens that filtering cost; the whole context if nothing was filtered."""
    if retrieval.filtering is None:
        return retrieval.context, 0
    found = filtered(engine, retrieval.sources, question, retrieval.filtering, cancelled)
    return found.context or retrieval.context, found.llm_tokens


class _Shown:
    """A model's text as it is shown: with corrected markers, and with a sentence in place of the marker of abstention."""

    def __init__(
        self, pieces: Iterator[str], gate: MarkerGate, language: str, instead: Callable[[], Rejection]
    ) -> None:
        """Keeps the pieces, which must be printable already, and what finds the words to show instead of an abstention."""
        self._pieces, self._gate, self._language, self._instead = pieces, gate, language, instead
        self._rejection: Callable[[str], Rejection | None] | None = None
        self.abstained = False
        self.note = ""
        """One line for the user about an answer that was rejected, or that stands in place of an abstention."""

    def __iter__(self) -> Iterator[str]:
        pieces = self._pieces
        head = _head(pieces)
        if abstention.is_sign(head):
            for _ in pieces:
                pass
            yield self._in_place(self._instead())
            return
        yield from self._checked(map(self._gate.feed, chain([head], pieces)))

    def verify(self, rejection: Callable[[str], Rejection | None]) -> None:
        """Shows the text only when it is whole, or in its place what `rejection` returns for it."""
        self._rejection = rejection

    def _checked(self, pieces: Iterable[str]) -> Iterator[str]:
        if self._rejection is None:
            yield from filter(None, pieces)
            yield from filter(None, [self._gate.rest()])
            return
        text = "".join(pieces) + self._gate.rest()
        rejected = self._rejection(text)
        if rejected is None:
            yield text
            return
        yield self._in_place(rejected)

    def _in_place(self, found: Rejection) -> str:
        self.abstained, self.note = not found.sentence, found.note
        return found.sentence or abstention.sentence(self._language)


def _head(pieces: Iterator[str]) -> str:
    """Reads a stream until it is clear whether it begins with the marker of abstention."""
    head = ""
    for piece in pieces:
        head = (head + piece).lstrip()
        if abstention.is_sign(head) or not abstention.may_become_sign(head):
            break
    return head


def _nothing() -> Rejection:
    """A short answer, and one without notes, has nothing to show in its place."""
    return Rejection("", "")


def _abstain(retrieval: Retrieval, question: str) -> Generator[str, None, Answer]:
    """Answers, without asking a model, that the notes do not contain the answer, because nothing was found."""
    text = abstention.sentence(language_of(question))
    yield text
    return Answer(text, (), abstained=True, finish=Finish.STOP, model="", retrieval=retrieval)


def _quote(retrieval: Retrieval, question: str) -> Generator[str, None, Answer]:
    lines: list[str] = []
    cited: list[Citation] = []
    for quote in extractive.quotes(retrieval, question):
        cited.append(quote)
        lines.append(f"{quote.text} {written(quote.numbers)}{quote.after}")
        yield lines[-1]
    return Answer(
        "".join(lines).strip(),
        tuple(cited),
        abstained=False,
        finish=Finish.STOP,
        model="",
        retrieval=retrieval,
        note=extractive.ADD_MODEL,
    )


def stopped(retrieval: Retrieval) -> Answer:
    """Returns the empty answer to a question that was stopped before the model started."""
    return Answer("", (), False, Finish.CANCELLED, model="", retrieval=retrieval, note=stop_note(Finish.CANCELLED))


def stop_note(finish: Finish) -> str:
    """Returns the line for the user about an answer that was cut; "" for one that came to its end."""
    return _NOTES.get(finish, "")
