"""The widget that shows a question and its answer, from the moment the question is asked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.widgets import Static

from noderag_local.domain.passages import Citation, Retrieval, Source
from noderag_local.interfaces.tui.chat.answers.passage_lines import PassageLine, passage_lines
from noderag_local.interfaces.tui.chat.answers.source_lines import SourceLine
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.storage.conversations.conversations import Turn
from noderag_local.system.printing.amounts import duration, rate
from noderag_local.system.printing.excerpt import PASSAGES_SHOWN

if TYPE_CHECKING:
    from textual.widgets.markdown import MarkdownStream

    from noderag_local.generation.answering import Answer


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """One question with its answer."""

    turn: Turn
    """The turn as it is stored."""
    answer: Answer
    """The answer with the sources of each of its sentences."""


def restored_turn(turn: Turn) -> AnsweredTurn:
    """Returns a stored turn with its citations checked again, which takes some hundredths of a second."""
    from noderag_local.generation.answering import Answer, stop_note
    from noderag_local.generation.citing.citations import annotate
    from noderag_local.generation.computed_answers import COMPUTED, computed_citations
    from noderag_local.models.llm.engine import Finish

    if turn.found.method == COMPUTED:
        held = computed_citations(turn.answer, turn.found)
    else:
        asked = turn.asked_as or turn.question
        is_cut = turn.stopped or turn.note.endswith(stop_note(Finish.LENGTH))
        held = () if turn.abstained else annotate(turn.answer, turn.found.sources, asked, is_cut=is_cut)
    finish = Finish.CANCELLED if turn.stopped else Finish.STOP
    return AnsweredTurn(turn, Answer(turn.answer, held, turn.abstained, finish, turn.model, turn.found, turn.note))


SEARCHING = "Searching …"
QUIET_SECONDS = 3.0
"""Seconds that a step must take until they are shown beside it."""
FEWEST_TOKENS = 10
"""Minimum tokens of an answer for which a rate is shown, since the first tokens come at once."""
LEAST_WRITING_SECONDS = 0.1
"""Minimum seconds between first and last word for the same: words of the notes, and answers that are shown only when they are
complete, come at once, and their tokens were weighed or written before."""
NOT_CITED = "added by noderag, not cited by the model"


class AnswerBlock(VerticalGroup):
    """Shows a turn of the conversation. When something fails, text that was already written stays."""

    DEFAULT_CSS = """
    AnswerBlock {
        margin: 0 0 1 0;
        .question { padding: 0 1; text-style: bold; color: $text-primary; background: $boost; margin-bottom: 1; }
        .asked-as, .note, .waiting { padding: 0 1; color: $text-muted; }
        .failed { color: $text-error; }
        .note { margin-bottom: 1; }
        Static { display: block; }
        Static.-empty { display: none; }
    }
    """

    def __init__(self, question: str) -> None:
        super().__init__()
        self.question = question
        """The question as the user wrote it."""
        self.answered: AnsweredTurn | None = None
        """The finished turn; None while the answer is being written, or if it failed."""
        self.is_kept = False
        """Whether the conversation's file has the turn."""
        # Imported here, since markdown-it and textual's Markdown would delay the first screen.
        from noderag_local.interfaces.tui.chat.answers.answer_text import AnswerText

        self._text = AnswerText()
        self._awaited = SEARCHING
        """Description of the present step until the first word; "" afterwards."""
        self._awaited_since = time.monotonic()
        self._stream: MarkdownStream | None = None
        self._found: tuple[Source, ...] = ()
        self._passages = VerticalGroup()

    @property
    def sources(self) -> tuple[Source, ...]:
        """Sources of the answer; empty until the search has ended."""
        return self.answered.turn.found.sources if self.answered else self._found

    def compose(self) -> ComposeResult:
        """Lays out the question and empty widgets for everything else."""
        yield Static(Content("› ") + safe_text(self.question), classes="question")
        yield Static(classes="asked-as -empty")
        yield Static(SEARCHING, classes="waiting")
        yield self._text
        yield self._passages

    def on_mount(self) -> None:
        """Counts the seconds until the first word, which may take minutes on a processor."""
        self._counting = self.set_interval(1.0, self._tell_seconds)

    def _tell_seconds(self) -> None:
        seconds = time.monotonic() - self._awaited_since
        if self._awaited and seconds >= QUIET_SECONDS:
            self.query_one(".waiting", Static).update(Content(f"{self._awaited} {duration(seconds)}"))

    def show_asked_as(self, question: str) -> None:
        """Shows the rewritten question that is searched for."""
        line = self.query_one(".asked-as", Static)
        line.update(Content("asked as: ") + safe_text(question))
        line.remove_class("-empty")

    def wait_for(self, what: str) -> None:
        """Shows what is happening before the first word; "" hides the line."""
        if what != self._awaited:
            self._awaited, self._awaited_since = what, time.monotonic()
        line = self.query_one(".waiting", Static)
        line.update(Content(what))
        line.set_class(not what, "-empty")

    async def begin(self, found: Retrieval, *, is_read: bool) -> None:
        """Prepares the text for the pieces of an answer.

        Args:
            found: result of the search.
            is_read: True shows the best passages, since a language model reads them before it answers. It may begin a
            second time, with other passages, when the first ones did not tell.
        """
        self._found = found.sources
        self._stream = self._text.begin({source.number for source in found.sources})
        if is_read:
            before = list(self._passages.query(PassageLine))
            await self._passages.mount_all(lines := passage_lines(found))
            await self._replace_passages(before, lines)

    async def write(self, piece: str) -> None:
        """Shows another piece of the answer."""
        if self._stream is not None:
            await self._stream.write(piece)

    async def finish(self, answered: AnsweredTurn) -> None:
        """Shows the whole answer with its citations, sources and cost."""
        await self._end_stream()
        self._counting.stop()
        self.answered = answered
        self.wait_for("")
        from noderag_local.interfaces.tui.chat.answers.cited_markdown import marked

        turn, citations = answered.turn, answered.answer.citations
        text = marked(citations, quoted=not turn.model) if citations else turn.answer
        await self._text.finish(text, {source.number for source in turn.found.sources})
        lines = _source_lines(turn, citations)
        await self._passages.mount_all(lines)
        read = list(self._passages.query(PassageLine))
        await self._replace_passages(read, [line for line in lines if isinstance(line, SourceLine)])
        await self.mount_all([*_note(turn.note), TurnCost(turn)])

    async def _replace_passages(
        self, shown: Sequence[PassageLine], lines: Sequence[SourceLine] | Sequence[PassageLine]
    ) -> None:
        """Removes the passages shown while the model was reading; the focus goes to the line of the same source."""
        focused = next((line.source.number for line in shown if line.has_focus), 0)
        if focused and lines:
            next((line for line in lines if line.source.number == focused), lines[0]).focus()
        await self._passages.remove_children(shown)

    async def fail(self, message: str) -> None:
        """Shows why there is no answer, or why it is incomplete."""
        await self._end_stream()
        self._counting.stop()
        self.wait_for("")
        await self.mount(Static(safe_text(message), classes="note failed"))

    async def _end_stream(self) -> None:
        if self._stream is not None:
            await self._stream.stop()
            self._stream = None


class TurnCost(Static):
    """Shows the cost of a turn on one line: method, search time, model, tokens and answer times."""

    DEFAULT_CSS = """
    TurnCost { height: auto; padding: 0 1; color: $text-disabled; }
    """

    def __init__(self, turn: Turn) -> None:
        super().__init__(Content(" · ").join([_search_cost(turn), *_model_cost(turn)]))


def cited_sources(found: Retrieval, citations: tuple[Citation, ...]) -> list[Source]:
    """Returns the sources that an answer cites, or the nearest ones if it cites none."""
    cited = {number for part in citations for number in part.numbers}
    return [source for source in found.sources if source.number in cited] or list(found.sources[:PASSAGES_SHOWN])


def copied(answered: AnsweredTurn) -> str:
    """Returns the answer as it is copied: below the text, the sources that it cites, one a line, as the shell prints them."""
    from noderag_local.interfaces.cli.printed import source_line

    turn, citations = answered.turn, answered.answer.citations
    cited = {number for part in citations for number in part.numbers}
    added = _added(turn, citations)
    lines = [
        source_line(source, NOT_CITED if source.number in added else "").plain
        for source in turn.found.sources
        if source.number in cited
    ]
    return "\n\n".join(filter(None, [turn.answer.strip(), "\n".join(lines)]))


def _source_lines(turn: Turn, citations: tuple[Citation, ...]) -> list[Static]:
    if not turn.found.sources:
        return []
    cited = any(part.numbers for part in citations)
    added = _added(turn, citations)
    lines = [
        SourceLine(source, NOT_CITED if source.number in added else "")
        for source in cited_sources(turn.found, citations)
    ]
    return [*([] if cited else [Static("The nearest passages:", classes="asked-as")]), *lines]


def _added(turn: Turn, citations: tuple[Citation, ...]) -> set[int]:
    """Returns the numbers of the sources that only noderag cites; empty if no model wrote the answer."""
    by_us = {number for part in citations if part.added and turn.model for number in part.numbers}
    by_model = {number for part in citations if not part.added for number in part.numbers}
    return by_us - by_model


def _note(note: str) -> list[Static]:
    return [Static(safe_text(note), classes="note")] if note else []


def _search_cost(turn: Turn) -> Content:
    """Returns the method and time of the search."""
    found = turn.found
    return Content(f"{found.method}, {found.elapsed_ms:,.0f} ms")


def _model_cost(turn: Turn) -> list[Content]:
    """Returns the model's name, times and tokens; empty if no model was used."""
    cost = turn.cost
    if cost is None:
        return []
    writing = cost.seconds - cost.first_word_seconds
    parts = [on_one_line(turn.model)]
    if cost.written_tokens:
        parts.append(Content(f"first word {cost.first_word_seconds:.1f} s, all {cost.seconds:.1f} s"))
        tells = cost.written_tokens >= FEWEST_TOKENS and writing >= LEAST_WRITING_SECONDS
        speed = f", {rate((cost.written_tokens - 1) / writing)}/s" if tells else ""
        parts.append(Content(f"{cost.read_tokens:,} tokens read, {cost.written_tokens:,} written{speed}"))
    return parts
