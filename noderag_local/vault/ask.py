"""Answers a question from a vault: rewrites a question that refers to earlier ones, searches, and streams the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from noderag_local.aggregation.overview_questions import overview_asked
from noderag_local.aggregation.reworded import asks_the_same, in_usual_words
from noderag_local.aggregation.spoken import as_meant
from noderag_local.domain.passages import Retrieval
from noderag_local.generation.answering import Answer, Answerer, stopped
from noderag_local.generation.decomposition import steps_of
from noderag_local.generation.follow_up import Exchange, leans, stand_alone
from noderag_local.generation.overview import overview
from noderag_local.generation.plain_question import in_plain_words
from noderag_local.generation.variation import corrected, varied
from noderag_local.models.llm.engine import Engine
from noderag_local.system.printing.amounts import counted
from noderag_local.vault.computing import FoundPerson, NotesToJudge, OverviewPassages
from noderag_local.vault.judging_notes import judged_answer
from noderag_local.vault.second_look import doubt_of, is_told, only_about_named, sentence_instead
from noderag_local.vault.steps import STEP_TOKENS, StepsTaken, described_steps, shows_last_step, take_steps
from noderag_local.vault.table_questions import TableQuestion, answered_by_table


@dataclass(frozen=True, slots=True)
class AskProgress:
    """Progress of a question before the first piece of its answer."""

    message: str
    """Description of the present step for the user: "Searching …"."""
    asked_as: str = ""
    """The rewritten question, as soon as it is known; empty if the question was not rewritten."""
    retrieval: Retrieval | None = None
    """Result of the search, from which the answer is made; None until the search has ended."""
    reader: str = ""
    """Name of the language model that reads what was found; empty if there is none, and before the search has ended."""


@dataclass(frozen=True, kw_only=True)
class VaultAsking:
    """The parts of a vault that are needed to answer a question."""

    compute: Callable[[str], Answer | None]
    """Answers a question that needs no reading but counting, adding up, comparing days, listing or quoting; None for any other."""
    follow: Callable[[str], FoundPerson | None]
    """Finds whom a question describes, from the notes alone; None for a question that describes nobody."""
    in_usual_form: Callable[[str], str]
    """Returns a question in the plain words that `compute` or `follow` understands; "" if it is not near to any that they do."""
    is_worth_rewording: Callable[[str], bool]
    """Tells whether `compute` or `follow` could probably answer a question that they do not understand if it were reworded."""
    with_told_months: Callable[[str], str]
    """Returns a question in which "in March" has the year of the latest March that the notes tell of."""
    namesakes: Callable[[str], Sequence[str]]
    """Returns the full names of the people with a first name, as far as they have pages."""
    survey: Callable[[str], OverviewPassages | None]
    """Returns the passages for an overview of a time or theme; None for any other question."""
    table: Callable[[str], TableQuestion | None]
    """Returns the table that the question seems to be about; None for any other question."""
    to_judge: Callable[[str], NotesToJudge | None]
    """Returns the notes that the model has to judge one by one; None for a question that needs no judging."""
    search: Callable[[str, int, Sequence[int]], Retrieval]
    """Returns the passages for a question within a number of tokens, with the sentences of some nodes before all others."""
    budget_tokens: int
    """Tokens that the passages of all steps may have together."""
    is_default: bool
    """Whether the method is the default, which takes several steps, and reads little where one sentence has all words."""
    open_engine: Callable[[], Engine | None]
    answer_tokens: int
    progress: Callable[[AskProgress], None]
    cancelled: Callable[[], bool]

    def pieces(self, question: str, earlier: Sequence[Exchange], short: bool) -> Generator[str, None, Answer]:
        """Yields the pieces of the answer and returns the whole answer; parameters as for `Vault.ask`."""
        started = time.perf_counter()
        asked_as = self._repeated(question, earlier[-1]) if earlier else ""
        leaning = bool(earlier) and not asked_as and leans(question)
        engine = self._opened() if leaning else None
        asked_as = self._rewritten(engine, question, earlier) if leaning else asked_as
        dated = self.with_told_months(asked_as or question)
        asked_as = dated if dated != question else asked_as
        meant = as_meant(asked_as or question)
        computed, plain, spent = self.compute(meant), "", 0
        if computed is None:
            computed, plain = self._in_usual_form(meant)
        if computed is None:
            # The model is opened before the search, so that its own tokenizer counts the context.
            engine = engine or self._opened()
        if computed is None and not plain:
            computed, plain, spent = self._in_plain_words(engine, meant, asked_as)
        asked_as = plain or asked_as
        if computed is None:
            answer = yield from self._read(engine, question, asked_as, short, started)
            return replace(answer, filter_tokens=answer.filter_tokens + spent)
        self.progress(AskProgress("", asked_as, computed.retrieval))
        yield computed.text
        elapsed = time.perf_counter() - started
        return replace(
            computed, asked_as=asked_as, filter_tokens=spent, first_piece_seconds=elapsed, elapsed_seconds=elapsed
        )

    def read_ahead(self, question: str) -> None:
        """Lets the model read what it needs for a question that may be asked soon; nothing where that takes more than reading."""
        engine = self.open_engine()
        if engine is None or not engine.keeps_what_it_read or leans(question):
            return
        question = self.with_told_months(question)
        meant = as_meant(question)
        if self.compute(meant) is not None or self._in_usual_form(meant)[1]:
            return
        if any(instead(question) is not None for instead in (self.to_judge, self.table)):
            return
        found = self.follow(question)
        if found is None and self.is_default and (steps_of(question) or overview_asked(question, date.today())):
            return
        if self.cancelled():
            return
        taken = described_steps(question, found) if found else StepsTaken((), question)
        retrieval, taken = taken.numbered_in(self._searched(taken.search_for or question, taken, is_read=True))
        if not self.cancelled():
            near = self._to_read(engine, question, retrieval, taken)
            Answerer(engine, self.answer_tokens).read_ahead(near, taken.rest, self.cancelled)

    def _read(
        self, engine: Engine | None, question: str, asked_as: str, short: bool, started: float
    ) -> Generator[str, None, Answer]:
        """Answers from passages; `started` is the time of the question."""
        spent = 0
        if engine is not None and not short:
            gathered, spent = yield from self._gathered(engine, asked_as or question, asked_as, started)
            if gathered is not None:
                return gathered
        taken = self._steps_taken(engine, asked_as or question)
        asked_as = taken.rest if taken.steps else asked_as
        wanted = taken.search_for or asked_as or question
        self.progress(AskProgress("Searching …", asked_as))
        retrieval, taken = taken.numbered_in(self._searched(wanted, taken, engine is not None))
        found = len(retrieval.sources)
        reading = f"Reading {counted(found, 'passages')} …" if found else "Nothing in the notes is near."
        self.progress(AskProgress(reading, asked_as, retrieval, engine.name if engine else ""))
        if self.cancelled():
            return replace(stopped(retrieval), asked_as=asked_as, elapsed_seconds=time.perf_counter() - started)
        answerer = Answerer(engine, self.answer_tokens)
        first_piece_seconds = 0.0
        quote = partial(sentence_instead, wanted, retrieval)
        doubt = doubt_of(wanted, retrieval) if self.is_default else None
        asked = asked_as or question
        is_step = any(step.llm_tokens for step in taken.steps)
        if engine is not None:
            retrieval = self._to_read(engine, wanted, retrieval, taken)
        with closing(answerer.stream(retrieval, asked, self.cancelled, short, quote, doubt, is_step)) as stream:
            for piece in stream:
                first_piece_seconds = first_piece_seconds or time.perf_counter() - started
                yield piece
        return replace(
            stream.result,
            asked_as=asked_as,
            note=" ".join(filter(None, (stream.result.note, taken.told))),
            filter_tokens=stream.result.filter_tokens + spent + sum(step.llm_tokens for step in taken.steps),
            first_piece_seconds=first_piece_seconds,
            elapsed_seconds=time.perf_counter() - started,
        )

    def _gathered(
        self, engine: Engine, asked: str, asked_as: str, started: float
    ) -> Generator[str, None, tuple[Answer | None, int]]:
        """Answers a question about many notes or the rows of a table.

        Returns:
            The answer, None for any other question, and the tokens that the model worked for nothing.
        """
        if (survey := self.survey(asked)) is not None:
            judge = partial(overview, engine, survey.retrieval, survey.days, asked, cancelled=self.cancelled)
            return (yield from self._judged(judge, survey.retrieval, engine.name, asked_as, started)), 0
        if (notes := self.to_judge(asked)) is not None:
            judge = partial(judged_answer, engine, notes, asked, cancelled=self.cancelled)
            return (yield from self._judged(judge, notes.retrieval, "", asked_as, started)), 0
        table = self.table(asked)
        if table is None or self.cancelled():
            return None, 0
        self.progress(AskProgress(f"Looking into the table {table.table.title} …", asked_as, table.found, engine.name))
        answer, cost = answered_by_table(engine, table, self.cancelled)
        if answer is None:
            return None, cost.worked_tokens
        yield answer.text
        elapsed = time.perf_counter() - started
        return replace(answer, asked_as=asked_as, first_piece_seconds=elapsed, elapsed_seconds=elapsed), 0

    def _judged(
        self,
        judge: Callable[[Callable[[str], None]], Answer],
        looked_at: Retrieval,
        reader: str,
        asked_as: str,
        started: float,
    ) -> Generator[str, None, Answer]:
        """Answers with what the model says fits.

        Args:
            judge: returns the answer; it is given a function that takes the progress in words.
            looked_at: what is judged.
            reader: name of the model if the best passages are to be shown meanwhile.
            asked_as: as in `Answer`.
            started: time of the question.
        """
        self.progress(AskProgress("Reading …", asked_as, looked_at, reader))
        answer = judge(lambda message: self.progress(AskProgress(message, asked_as)))
        elapsed = time.perf_counter() - started
        if answer.text:
            yield answer.text
        return replace(answer, asked_as=asked_as, first_piece_seconds=elapsed, elapsed_seconds=elapsed)

    def _opened(self) -> Engine | None:
        self.progress(AskProgress("Opening the language model …"))
        return self.open_engine()

    def _repeated(self, question: str, last: Exchange) -> str:
        """Returns the last question for another time or name; "" if the question asks something of its own."""
        today = date.today()
        return corrected(question, last.question, last.answer, today, self.namesakes) or varied(
            question, last.question, today
        )

    def _rewritten(self, engine: Engine | None, question: str, earlier: Sequence[Exchange]) -> str:
        """Rewrites a question that refers to earlier ones; returns "" if there is no model."""
        if engine is None or self.cancelled():
            return ""
        self.progress(AskProgress("Reading the question with the conversation so far …"))
        written = stand_alone(engine, question, earlier, self.cancelled)
        return "" if written == question else written

    def _leads_to_person(self, plain: str) -> bool:
        """Returns whether a question in plain words describes somebody, and its shape tells what it asks about them."""
        person = self.follow(plain) if plain else None
        return person is not None and shows_last_step(plain, person)

    def _in_usual_form(self, question: str) -> tuple[Answer | None, str]:
        """Puts a question into plain words by its meaning.

        Returns:
            The computed answer, and the plain words; these are "" if they lead neither to an answer nor to a person.
        """
        plain = self.in_usual_form(question)
        computed = self.compute(plain) if plain else None
        return computed, plain if computed is not None or self._leads_to_person(plain) else ""

    def _in_plain_words(self, engine: Engine | None, question: str, asked_as: str) -> tuple[Answer | None, str, int]:
        """Lets the model reword a question in plain words, if the rules may then understand it.

        Returns:
            The computed answer, the plain words, "" if they lead neither to an answer nor to a person or ask something else, and
            the tokens that the model worked.
        """
        if engine is None or not self.is_worth_rewording(question) or self.cancelled():
            return None, "", 0
        is_understood = self._leads_to_person(question) or any(
            one(question) is not None for one in (self.survey, self.to_judge, self.table)
        )
        if is_understood:
            return None, "", 0
        found = self._searched(question, StepsTaken((), question), is_read=True)
        self.progress(AskProgress("Reading the question …", asked_as, found, engine.name))
        plain = in_plain_words(engine, in_usual_words(question), self.cancelled)
        if not plain.text or not asks_the_same(question, plain.text, date.today()):
            return None, "", plain.llm_tokens
        computed = self.compute(plain.text)
        if computed is not None or self._leads_to_person(plain.text):
            return computed, plain.text, plain.llm_tokens
        return *self._in_usual_form(plain.text), plain.llm_tokens

    def _steps_taken(self, engine: Engine | None, question: str) -> StepsTaken:
        """Answers all steps of a question but the last; none if it has one step, or a step without an answer."""
        found = self.follow(question)
        if found is not None:
            return described_steps(question, found)
        steps = steps_of(question) if engine and self.is_default else ()
        if engine is None or not steps:
            return StepsTaken((), question)
        self.progress(AskProgress(f"First: {steps[0]}"))
        return take_steps(steps, engine, self.search, self.cancelled) or StepsTaken((), question)

    def _to_read(self, engine: Engine, question: str, found: Retrieval, taken: StepsTaken) -> Retrieval:
        """Returns what the model reads; leaves out passages about other people if the question takes one step."""
        is_one_step = bool(taken.search_for) or not (taken.steps or steps_of(question))
        if not (self.is_default and is_one_step):
            return found
        path_numbers = [source.number for source in taken.sources]
        asked = taken.search_for or question
        return only_about_named(asked, found, engine.count_tokens, path_numbers, self.namesakes)

    def _left(self, taken: StepsTaken) -> int:
        """Tokens for the passages of the last step: few where it is about a known person, else what the steps before left."""
        least = min(STEP_TOKENS, self.budget_tokens)
        return least if taken.search_for else max(self.budget_tokens - STEP_TOKENS * len(taken.steps), least)

    def _searched(self, wanted: str, taken: StepsTaken, is_read: bool) -> Retrieval:
        """Searches for a context; a short one is enough for a model if a sentence in it has all words of the question."""
        budget_tokens = self._left(taken)
        found = self.search(wanted, budget_tokens, taken.read_first)
        if not (is_read and self.is_default and budget_tokens > STEP_TOKENS and is_told(wanted, found)):
            return found
        near = self.search(wanted, STEP_TOKENS, ())
        return near if is_told(wanted, near) else found
