"""Adaptive filtering: the model selects passages from groups of sources, then answers from these passages alone.

This is section 3.2.2 of ArchRAG (Wang et al. 2025, equations 3 and 4). The paper's model writes points in its own words about
each layer and rates them from 0 to 100. A small model's own words cannot be checked, and it cannot use so fine a scale. Here
the model writes lines "[number] passage | score" under a constraint: a passage is a run of whole words of the numbered source.
So the citations of the answer still open the notes. Scores are 0 to 3 or, as in the paper, 0 to 100.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from noderag_local.domain.passages import Filtering, Source
from noderag_local.generation.answer_prompt import filled, quoted
from noderag_local.models.llm.engine import Engine, Message, Request, Role, never
from noderag_local.models.llm.prompt_files import turns

MOST_POINTS = 3
"""Maximum number of lines that the model writes for a group."""
ENOUGH_QUOTE_BYTES = 240
"""Length in bytes after which a passage ends at the next word."""
FEWEST_QUOTE_WORDS = 3
"""Minimum number of words of a passage, unless the source is shorter."""
PAPER_SCORE: Literal[100] = 100
"""Highest score of the paper (figure 10)."""
NOTHING = "0"
"""What the model writes if no source helps."""

_BAR = b" | "
_LINE = re.compile(r"\s*+\[?(\d++)\]?[.:)]?\s++([^|]++)\|\s*+(\d{1,3})\b")
_SENTENCE_END = re.compile(r"([。！？])")
_QUOTATION_MARKS = "\"“”„«»'"


@dataclass(frozen=True, slots=True)
class Point:
    """A passage that helps to answer, and its score."""

    number: int
    """Number of its source."""
    quote: str
    """The passage as it occurs in the source's `quotable` text."""
    score: int
    """From 1 to the highest score; more helps more."""


def quotable(text: str) -> str:
    """Returns a source's text on one line, without bars, and with a space after each sentence in any script."""
    return " ".join(_SENTENCE_END.sub(r"\1 ", text.replace("|", "/")).split())


def parse(written: str, sources: Mapping[int, str], most_score: int) -> list[Point]:
    """Returns the distinct points in a model's text that occur in the sources and have a score above 0.

    Args:
        written: text that the model wrote.
        sources: quotable text of each source, by its number.
        most_score: highest score; a line with a higher one is left out.
    """
    found: dict[tuple[int, str], Point] = {}
    for line in written.splitlines():
        parts = _LINE.match(line)
        if parts is None or not 0 < int(parts[3]) <= most_score or int(parts[1]) not in sources:
            continue
        number, quote = int(parts[1]), parts[2].strip().strip(f" {_QUOTATION_MARKS}")
        start = sources[number].find(quote)
        if quote and start >= 0:
            found.setdefault((number, quote), Point(number, quote, int(parts[3])))
    return list(found.values())


class PointConstraint:
    """Limits the model's text to the lines described above; see `models.llm.engine.Constraint`."""

    def __init__(self, sources: Mapping[int, str], most_score: int) -> None:
        """Keeps the quotable text of each source, by its number, and the highest score."""
        self._most_score = most_score
        self._texts = {number: b" %s " % text.encode() for number, text in sources.items()}
        self._finished = 0
        self._line = b""

    def allows(self, piece: bytes) -> bool:
        """Returns whether the text may continue with the piece."""
        return self._after(piece) is not None

    def accept(self, piece: bytes) -> None:
        """Appends the piece to the text.

        Raises:
            ValueError: the piece is not allowed here.
        """
        after = self._after(piece)
        if after is None:
            raise ValueError(f"{piece!r} is not allowed at this place of the line")
        self._finished, self._line = after

    def may_end(self) -> bool:
        """Returns whether the text may end: after a score, after a line, or after the word for "no source helps"."""
        return self._is_whole(self._line) or (bool(self._finished) and not self._line) or self._says_nothing(self._line)

    def forced(self) -> bytes:
        """Returns nothing, since the model has tokens of its own that combine a bracket with a number."""
        return b""

    def _after(self, piece: bytes) -> tuple[int, bytes] | None:
        """Returns the number of finished lines and the current line after adding the piece; None if the piece is not allowed."""
        finished, line = self._finished, self._line
        for number in range(len(piece)):
            byte = piece[number : number + 1]
            if byte == b"\n":
                if not self._is_whole(line) or finished + 1 == MOST_POINTS:
                    return None
                finished, line = finished + 1, b""
            elif self._may_become_line(line + byte, finished):
                line += byte
            else:
                return None
        return (finished, line) if piece else None

    def _may_become_line(self, line: bytes, finished: int) -> bool:
        if finished == 0 and line == NOTHING.encode():
            return True
        number, closed, rest = line.partition(b"] ")
        if not closed:
            return any((b"[%d] " % known).startswith(line) for known in self._texts)
        text = self._texts[int(number[1:])]
        _, bar, score = rest.partition(_BAR)
        if bar:
            return not score or self._is_score(score)
        for begun in (b" |", b" "):
            if rest.endswith(begun) and _is_passage(text, rest.removesuffix(begun)):
                return True
        return _may_become_passage(text, rest)

    def _is_whole(self, line: bytes) -> bool:
        _, bar, score = line.partition(_BAR)
        return bool(bar) and self._is_score(score)

    def _is_score(self, text: bytes) -> bool:
        return text.isdigit() and text == b"%d" % int(text) and int(text) <= self._most_score

    def _says_nothing(self, line: bytes) -> bool:
        return self._finished == 0 and line == NOTHING.encode()


def _may_become_passage(text: bytes, quote: bytes) -> bool:
    """Returns whether the quote, which may end within a word, can be the beginning of a passage.

    It must begin with a word of the text after which enough words are left, and none of its words may begin beyond
    `ENOUGH_QUOTE_BYTES`.
    """
    at = text.find(b" " + quote)
    if at < 0 or quote.startswith(b" ") or b" " in quote[ENOUGH_QUOTE_BYTES:]:
        return False
    return len(text[at:].split()) >= _enough_words(text)


def _is_passage(text: bytes, quote: bytes) -> bool:
    """Returns whether the quote is a run of whole words of the text and long enough."""
    is_long = len(quote) >= ENOUGH_QUOTE_BYTES or len(quote.split()) >= _enough_words(text)
    return is_long and b" %s " % quote in text


def _enough_words(text: bytes) -> int:
    return min(FEWEST_QUOTE_WORDS, len(text.split()))


GROUP_TOKENS = 500
"""Maximum tokens of the sources in a group; small models need small groups."""
POINT_TOKENS = 270
"""Maximum tokens that the model writes for a group."""


@dataclass(frozen=True, slots=True)
class Filtered:
    """The passages that the model selected from the sources of a question."""

    context: str
    """The selected passages under the numbers of their sources, the best last, next to the question; "" if there are none."""
    llm_tokens: int
    """Tokens that the model read and wrote to select them."""


def filtered(
    engine: Engine,
    sources: Sequence[Source],
    question: str,
    filtering: Filtering,
    cancelled: Callable[[], bool] = never,
) -> Filtered:
    """Lets the model select passages that help to answer a question; all groups of sources are one batch.

    Args:
        engine: engine that selects.
        sources: sources to select from, best first.
        question: as the user asked it.
        filtering: layers of the sources, and the highest score.
        cancelled: called many times a second; when it returns True, the passages found so far are returned.

    Raises:
        SettingsError: a group does not fit into the model's context.
        ModelError: the engine failed.
    """
    texts = {source.number: quotable(quoted(source.text, question)) for source in sources}
    layers = filtering.layers or (tuple(texts),)
    groups = [group for layer in layers for group in _groups(engine, {number: texts[number] for number in layer})]
    found: dict[int, list[Point]] = {}
    llm_tokens = 0
    for outcome in engine.generate((_request(group, question, filtering.most_score) for group in groups), cancelled):
        if outcome.error is not None:
            raise outcome.error
        if outcome.completion is not None:
            llm_tokens += outcome.completion.worked_tokens
        found[outcome.number] = parse(outcome.text, groups[outcome.number], filtering.most_score)
    points = [point for number in sorted(found) for point in found[number]]
    return Filtered(_context(points, sources), llm_tokens)


def _groups(engine: Engine, texts: dict[int, str]) -> list[dict[int, str]]:
    """Divides the sources, by number and text, into groups in their order; each group has at least one."""
    groups: list[dict[int, str]] = []
    left = 0
    for (number, text), tokens in zip(texts.items(), engine.count_many(list(texts.values())), strict=True):
        if not groups or tokens > left:
            groups.append({})
            left = GROUP_TOKENS
        groups[-1][number] = text
        left -= tokens
    return groups


def _request(group: dict[int, str], question: str, most_score: int) -> Request:
    *before, template = turns("generation", "filter_by_hundred" if most_score == PAPER_SCORE else "filter")
    fields = {
        "sources": "\n".join(f"[{number}] {text}" for number, text in group.items()),
        "question": " ".join(question.split()),
    }
    messages = (*before, Message(Role.USER, filled(template.content, fields)))
    return Request(messages, POINT_TOKENS, constraint=lambda: PointConstraint(group, most_score))


def _context(points: Sequence[Point], sources: Sequence[Source]) -> str:
    """Joins the points by source, the source with the best point last; of equal ones, retrieval's first comes last."""
    by_source: dict[int, list[str]] = {}
    for point in sorted(points, key=lambda point: -point.score):
        by_source.setdefault(point.number, []).append(point.quote)
    labels = {source.number: " > ".join(filter(None, (source.title, *source.headings))) for source in sources}
    return "\n".join(
        f"[{number}] " + f"({labels[number]}) " * bool(labels[number]) + " … ".join(quotes)
        for number, quotes in reversed(by_source.items())
    )
