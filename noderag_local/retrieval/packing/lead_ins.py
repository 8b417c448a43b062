"""Finds the words of a note that a chosen sentence needs in front of it to be understood on its own.

These lead-ins are the headings over it, the head of its list, the columns of its table, and who speaks. They are read from the text of its chunk and
stand in the context only: sources keep the sentences alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache, partial
from itertools import pairwise

from noderag_local.domain.passages import Source
from noderag_local.retrieval.packing.whole_words import says
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import PlacedChunk, TextRows
from noderag_local.storage.snapshots.word_index import Words

LONGEST_HEAD = 60
"""Characters of the longest line that counts as the head of a list; a longer one costs more than it explains."""
LONGEST_TITLE = 30
"""Characters of the longest first line of a paragraph that counts as its title: "LENT OUT", "Mum"."""
LONGEST_COLUMNS = 120
"""Characters of the longest header of a table that its rows get."""
MOST_CHUNKS_BEFORE = 20
"""Chunks before that of a sentence in which the level of a heading is looked up."""
DEEPEST = 6
"""Level of the lowest headings of Markdown."""
FEWEST_REPEATED_NAMES = 2
"""Names that must each begin two turns or more in a conversation: the fields of a recipe or a form stand once."""

_MARKDOWN = (".md", ".markdown")
_HEADING = re.compile(r"(#{1,6})[ \t]")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•‣–]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_STAMP = r"(?:[\[(]?\d[\d./:, -]{2,20}(?:[AaPp]\.?[Mm]\.?)?[\])]?[ \t–-]{0,3})?"
_WORD = r"[^\W\d_][\w.'’-]{0,24}"
_TURN = re.compile(
    rf"[ \t>*_-]{{0,8}}{_STAMP}[*_]{{0,3}}({_WORD}(?: {_WORD}){{0,3}})[*_]{{0,3}} ?([:：])[*_]{{0,3}}(?:[ \t]|(?<=：))"
)
_RULE = frozenset("|-: \t\r")
"""Characters of the line between the names of a table's columns and its rows."""
_YEAR_OR_DAY = re.compile(r"(?:19|20)\d\d|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:\d\d|\d{4})?")
"""A year or day alone on its line, over the notes of that time."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MARKUP = re.compile(r"\*+|__|`|\[\[(?:[^\[\]|]*+\|)?|\]\]")


@dataclass(frozen=True, slots=True)
class LeadIn:
    """Words that stand once in front of the sentences of a source that need them."""

    line: int
    """Line of the chunk where they stand."""
    text: str

    @property
    def in_brackets(self) -> str:
        """A heading as it stands in front of a sentence."""
        return f"({self.text})"


@dataclass(frozen=True, slots=True)
class SentenceShape:
    """What a sentence stands in."""

    line: int | None
    """Line of the chunk where the sentence begins; None where that is not known."""
    headings: tuple[LeadIn, ...] | None = None
    """All headings over the sentence, outermost first, also where it is a heading itself; None: those of its chunk."""
    lead_ins: tuple[LeadIn, ...] = ()
    """Other words that stand in front of the sentence, outermost first: the head of its list, columns, who speaks."""
    is_heading: bool = False
    """Whether the sentence is a heading itself, the last one of `headings`."""
    speaker: str = ""
    """Who says the sentence in a conversation; "" for any other."""
    is_over: bool | None = None
    """Whether the sentence is a title, heading or list head and its chunk has text under it; None where that is not known."""
    written: date | None = None
    """Day on which the sentence was written; known only for sentences with a relative date."""


UNKNOWN = SentenceShape(None)


class SentenceShapes:
    """Finds what sentences stand in; the chunks that it needs are read when first asked for, each once."""

    def __init__(self, store: Store, words: Words) -> None:
        """Reads nothing yet."""
        self._texts = TextRows(store)
        self._words = words
        self._chunks: dict[int, ChunkLines] = {}
        self._shapes: dict[int, SentenceShape] = {}

    def of(self, node: int, passage: int, source: Source) -> SentenceShape:
        """Returns what a sentence stands in.

        Args:
            node: the sentence.
            passage: a number that its chunk alone has.
            source: the sentence with its place.
        """
        if passage not in self._chunks:
            before = partial(self._texts.texts_before, node, MOST_CHUNKS_BEFORE)
            self._chunks[passage] = ChunkLines(self._texts.chunk_around(node), before)
        if node not in self._shapes:
            shape = self._chunks[passage].shape(source)
            self._shapes[node] = replace(shape, written=self._words.day_of(node))
        return self._shapes[node]


def chunk_headings(source: Source) -> tuple[LeadIn, ...]:
    """Returns the headings over the beginning of a source's chunk, outermost first, on lines of their own before the chunk."""
    return tuple(LeadIn(at - len(source.headings), text) for at, text in enumerate(source.headings))


def may_be_over(text: str) -> bool:
    """Returns whether a line may be a heading or list head, as far as its end tells: most sentences end with a full stop."""
    return not text.endswith((".", "。", ",", ";"))


class ChunkLines:
    """The lines of a chunk, and what they are: headings, list items, turns of a conversation."""

    def __init__(self, chunk: PlacedChunk, texts_before: Callable[[], Sequence[str]] = tuple) -> None:
        """Reads nothing but the line ends.

        Args:
            chunk: the chunk.
            texts_before: returns the texts of the chunks before it, nearest first.
        """
        self._chunk = chunk
        self._lines = chunk.text.split("\n")
        self._texts_before = texts_before

    def shape(self, source: Source) -> SentenceShape:
        """Returns what a sentence of the chunk stands in.

        Args:
            source: the sentence with its place.
        """
        if len(self._lines) == 1:
            return SentenceShape(None, is_over=False)
        line = self._line(source)
        if line is None:
            return UNKNOWN
        headings = self._headings(line, source)
        labels = (source.title, *(one.text for one in headings))
        turn = self._turn(line)
        heads = (self._list_head(line), self._columns(line), self._jotted_head(line))
        over = [one for one in heads if one and _bare(one.text) not in labels]
        lead_ins = tuple(one for one in (*over, turn) if one and not says(source.text, one.text))
        is_heading = any(one.line == line for one in headings)
        speaker = turn.text.rstrip(":： ") if turn else ""
        return SentenceShape(
            line, headings, lead_ins, is_heading, speaker, self._is_over(line, source, bool(headings or lead_ins))
        )

    @cached_property
    def _bytes(self) -> bytes:
        return self._chunk.text.encode("utf-8", "replace")

    def _line(self, source: Source) -> int | None:
        """Line of a sentence, by its bytes; where the file's bytes are not those of the text, by its words if they stand there once."""
        text = self._chunk.text
        if len(self._bytes) == self._chunk.end_byte - self._chunk.start_byte:
            return self._bytes.count(b"\n", 0, max(0, source.start_byte - self._chunk.start_byte))
        at = text.find(source.text)
        return text.count("\n", 0, at) if at >= 0 and text.find(source.text, at + 1) < 0 else None

    def _headings(self, line: int, source: Source) -> tuple[LeadIn, ...]:
        """Headings over a line, outermost first: those of the chunk that still hold, then those that stand in it."""
        inside, lowest = [], DEEPEST + 1
        if source.path.lower().endswith(_MARKDOWN):
            for at, (level, text) in reversed(self._marked_headings.items()):
                if at <= line and level < lowest:
                    lowest = level
                    inside.append(LeadIn(at, text))
        before = chunk_headings(source)
        if inside:
            told = {source.title, *(one.text for one in inside)}
            before = tuple(
                one for one in before if one.text not in told and self._levels_before.get(one.text, 0) < lowest
            )
        return (*before, *(one for one in inside[::-1] if one.text != source.title))

    def _is_over(self, line: int, source: Source, is_under: bool) -> bool:
        """Whether a line is a title, heading or list head, and there is text under it; the title stands over all other text.

        A year or day alone is a head, too, unless it is a value under a heading or head.
        """
        if source.text == source.title:
            return any(_is_text(text) for at, text in enumerate(self._lines) if at != line)
        below = next((at for at in range(line + 1, len(self._lines)) if _is_text(self._lines[at])), None)
        if below is None:
            return False
        if source.text in source.headings or line in self._marked_headings:
            level, _ = self._marked_headings.get(line, (0, ""))
            level_below, _ = self._marked_headings.get(below, (DEEPEST + 1, ""))
            return level < level_below
        if self._is_time(line):
            return not is_under and not self._is_time(below)
        heads = (self._list_head(below), self._jotted_head(below)) if source.text.endswith((":", "：")) else ()
        return any(head and head.line == line for head in heads)

    def _is_time(self, line: int) -> bool:
        return _YEAR_OR_DAY.fullmatch(self._lines[line].strip()) is not None

    @cached_property
    def _marked_headings(self) -> dict[int, tuple[int, str]]:
        return _marked_headings(self._chunk.text)

    @cached_property
    def _levels_before(self) -> dict[str, int]:
        """Level of the headings before the chunk; of several with the same text, that of the last one."""
        found: dict[str, int] = {}
        for text in self._texts_before():
            for level, heading in reversed(_marked_headings(text).values()):
                found.setdefault(heading, level)
        return found

    def _list_head(self, line: int) -> LeadIn | None:
        """What a list item belongs to: the item that it is indented under, or the line over the list."""
        item = self._item(line)
        if item is None:
            return None
        line, indent = item
        for at in range(line - 1, -1, -1):
            above = self._lines[at]
            outer = _ITEM.match(above)
            if outer and len(outer[1]) < indent:
                return _head(at, _shown(above[outer.end() :]))
            if above.strip() and not outer and above[0] not in " \t":
                return self._paragraph_head(at)
        return None

    def _item(self, line: int) -> tuple[int, int] | None:
        """Returns (first line, indent) of the list item that contains a line; None if the line is in no list item."""
        for at in range(line, -1, -1):
            match = _ITEM.match(self._lines[at])
            if match:
                return at, len(match[1])
            if self._lines[at][:1] not in (" ", "\t"):
                break
        return None

    def _paragraph_head(self, line: int) -> LeadIn | None:
        """The line over a list as its head: it ends with a colon, or is a paragraph of a few words and no sentence."""
        text = self._lines[line]
        if text.startswith(("#", "|", ">", "```", "~~~")):
            return None
        shown = _shown(text)
        if shown.endswith((":", "：")):
            return _head(line, _SENTENCE_END.split(shown)[-1])
        stands_alone = line == 0 or not self._lines[line - 1].strip()
        return _head(line, shown) if stands_alone and _is_phrase(shown) else None

    def _jotted_head(self, line: int) -> LeadIn | None:
        """What a line of jotted notes belongs to: the line above it that ends with a colon, or the short first line of its paragraph."""
        for at in range(line, -1, -1):
            text = self._lines[at]
            if not text.strip() or _ITEM.match(text) or text.startswith(("#", "|", ">", "```", "~~~")):
                return None
            shown = _shown(text)
            if at < line and shown.endswith((":", "：")):
                return _head(at, shown)
            if at and not self._lines[at - 1].strip():
                return _title(at, shown) if at < line else None
        return _title(0, _shown(self._lines[0])) if line and self._begins_note else None

    @cached_property
    def _begins_note(self) -> bool:
        """Whether this is the first chunk of its note; another may begin in the middle of a paragraph."""
        return not self._texts_before()

    def _columns(self, line: int) -> LeadIn | None:
        """The names of the columns over a row of a Markdown table."""
        for at in range(line, 0, -1):
            if "|" not in self._lines[at]:
                break
            if set(self._lines[at]) <= _RULE:
                names = _shown(self._lines[at - 1].strip(" \t|"))
                return LeadIn(at - 1, f"({names})") if at < line and len(names) <= LONGEST_COLUMNS else None
        return None

    def _turn(self, line: int) -> LeadIn | None:
        """Returns the speaker of a line as a lead-in; None outside a conversation."""
        for at in range(line, -1, -1):
            if at in self._turns:
                return LeadIn(at, self._turns[at])
            if not self._lines[at].strip():
                break
        return None

    @cached_property
    def _turns(self) -> dict[int, str]:
        """Line of each turn of a conversation, with its speaker; empty where the chunk is none."""
        if sum(map(self._chunk.text.count, ":：")) < 2 * FEWEST_REPEATED_NAMES:
            return {}
        turns = {
            at: match for at, line in enumerate(self._lines) if (match := _TURN.match(line)) and _is_name(match[1])
        }
        names = Counter(match[1] for match in turns.values())
        repeated = [count for count in names.values() if count > 1]
        starts = [
            at for at, (before, line) in enumerate(pairwise(["", *self._lines])) if line.strip() and not before.strip()
        ]
        paragraphs = sum(at not in turns and not self._lines[at].startswith("#") for at in starts) + len(turns)
        if len(repeated) < FEWEST_REPEATED_NAMES or 2 * sum(repeated) <= paragraphs:
            return {}
        return {at: match[1] + match[2] for at, match in turns.items()}


@lru_cache(maxsize=512)
def _marked_headings(text: str) -> dict[int, tuple[int, str]]:
    """Returns the line of each heading of a Markdown text, with its level and words; kept, as a chunk is before many others."""
    headings: dict[int, tuple[int, str]] = {}
    in_code = False
    if "#" not in text:
        return headings
    for at, line in enumerate(text.split("\n")):
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and (match := _HEADING.match(line)):
            headings[at] = (len(match[1]), _shown(_without_closing_marks(line[match.end() :])))
    return headings


def _title(line: int, shown: str) -> LeadIn | None:
    """The first line of a paragraph as its title: a few words, and neither a day nor a value."""
    is_title = len(shown) <= LONGEST_TITLE and _is_phrase(shown) and not any(map(str.isdigit, shown))
    return _head(line, shown) if is_title else None


def _is_phrase(text: str) -> bool:
    """Returns whether a line may be a title: neither a sentence nor "name: value"."""
    return not text.endswith((".", "!", "?", "…", ";", ",")) and ": " not in text


def _is_name(text: str) -> bool:
    return not text[0].islower()


def _is_text(line: str) -> bool:
    return any(map(str.isalnum, line))


def _bare(lead_in: str) -> str:
    """Returns a lead-in without the brackets around it or the colon behind it."""
    return lead_in[1:-1] if lead_in.startswith("(") and lead_in.endswith(")") else lead_in.strip(":")


def _head(line: int, text: str) -> LeadIn | None:
    """The words of a line as a head; None for a rule such as "---", and for more words than a head has."""
    if not _is_text(text) or len(text) > LONGEST_HEAD:
        return None
    return LeadIn(line, text if text.endswith((":", "：")) else f"{text}:")


def _without_closing_marks(heading: str) -> str:
    """A Markdown heading's text without the number signs that may close it, as in "## Plans ##"."""
    text = heading.strip(" \t")
    kept = text.rstrip("#")
    return kept if not kept or kept[-1] in " \t" else text


def _shown(text: str) -> str:
    """A line as a person reads it, but for links with an address."""
    return _MARKUP.sub("", text).strip()
