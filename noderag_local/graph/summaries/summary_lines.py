"""Constrains and parses the lines "title | description" that the model writes about a community.

Without a constraint, a small model numbers its lines, prints them in bold or does not stop. The automaton limits the words
and bytes of each field and the number of lines. It works on bytes, so it serves every script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from noderag_local.text.stopwords import stop_words

MOST_LINES = 3
TITLE_WORDS, TITLE_BYTES = 8, 80
DESCRIPTION_WORDS, DESCRIPTION_BYTES = 50, 420
FEWEST_WORDS, FEWEST_BYTES = 4, 36
"""Minimum length of a description, in words or in bytes; one of the two is enough."""

_BLANK, _BAR, _BREAK = b" |\n"
_REFUSED = frozenset(b"|\n*#`<>[]{}\\_~^=") | frozenset(range(0x20)) | {0x7F}
"""Control characters and markup, which titles and sentences do not need."""
_OPENING = _REFUSED | frozenset(b" -.,;:!?)/+'\"")
"""Bytes that may not begin a field."""
_NUMBERING = re.compile(r"^\s*(?:[-*•–]\s*|\(?\d{1,2}[.):]\s+|title:\s*)+", re.IGNORECASE)
_NAMES = re.compile(r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3}")
_MARKUP = re.compile(r"[*_`#\"“”]+")


@dataclass(frozen=True, slots=True)
class ElementLine:
    """A title and a description as the model wrote them."""

    title: str
    description: str


@dataclass(frozen=True, slots=True)
class _State:
    """State of the automaton after the bytes so far."""

    line: int = 0
    is_description: bool = False
    words: int = 0
    """Number of words begun in the field."""
    written: int = 0
    """Number of bytes in the field."""
    last: int = _BLANK
    """Previous byte; a field may begin with the blank that belongs to the delimiter."""


class SummaryConstraint:
    """Limits the model's text to at most MOST_LINES lines "title | description"; see `models.llm.engine.Constraint`."""

    def __init__(self, lines: int = MOST_LINES) -> None:
        self._lines = lines
        self._state: _State = _State()
        self._word_is_over = False

    def allows(self, piece: bytes) -> bool:
        """Returns whether the text may continue with the piece.

        When a field has no room for another word, the current word must end as well; otherwise a model that may not write
        "other cities" would write "othercities". This holds until the next `accept`. The model's preferred token is tried first.
        """
        if self._word_is_over and piece[:1] not in (b" ", b"\n"):
            return False
        allowed = self._after(piece) is not None
        if not allowed and len(piece) > 1 and piece.startswith(b" "):
            self._word_is_over = self._may_close()
        return allowed

    def accept(self, piece: bytes) -> None:
        """Appends the piece to the text.

        Raises:
            ValueError: the piece is not allowed here.
        """
        state = self._after(piece)
        if state is None:
            raise ValueError(f"{piece!r} is not allowed at this place of the line")
        self._state = state
        self._word_is_over = False

    def may_end(self) -> bool:
        """Returns whether the text may end here: in a long enough description, or at the start of any line but the first."""
        state = self._state
        return _says_enough(state) or (state.line > 0 and not state.is_description and state.written == 0)

    def forced(self) -> bytes:
        """Returns the bar that must follow a full title, or nothing.

        The model writes the blank after the bar itself. A blank as a token of its own made every description begin with a
        number, since only numbers have tokens without a leading blank.
        """
        state = self._state
        is_full = not state.is_description and state.last == _BLANK and state.words > 0 and not _has_room(state)
        return b"|" if is_full else b""

    def _may_close(self) -> bool:
        """Returns whether the field can end here, by its delimiter, a new line or the end of the text."""
        return self._after(b" |") is not None or self._after(b"\n") is not None or self.may_end()

    def _after(self, piece: bytes) -> _State | None:
        state: _State | None = self._state
        for byte in piece:
            if state is None:
                return None
            state = self._step(state, byte)
        return state if piece else None

    def _step(self, state: _State, byte: int) -> _State | None:
        if state.last == _BAR:
            return _State(state.line, is_description=True) if byte == _BLANK else None
        if byte == _BREAK:
            return self._next_line(state)
        if byte == _BAR:
            ready = not state.is_description and state.words > 0 and state.last == _BLANK
            return replace(state, last=_BAR) if ready else None
        if byte == _BLANK:
            return self._blank(state)
        return self._letter(state, byte)

    def _next_line(self, state: _State) -> _State | None:
        return _State(state.line + 1) if _says_enough(state) and state.line + 1 < self._lines else None

    def _blank(self, state: _State) -> _State | None:
        """Accepts a blank between two words or before the delimiter, but not where a description has no room for another word."""
        if state.last == _BLANK:
            return None
        after = replace(state, last=_BLANK, written=state.written + 1)
        return after if _has_room(after) or not state.is_description else None

    def _letter(self, state: _State, byte: int) -> _State | None:
        begins = state.last == _BLANK
        if byte in (_OPENING if state.written == 0 else _REFUSED) or (begins and not _has_room(state)):
            return None
        most_bytes = DESCRIPTION_BYTES if state.is_description else TITLE_BYTES
        # A character of several bytes is never cut.
        if state.written >= most_bytes and not (0x80 <= byte < 0xC0 and state.written < most_bytes + 3):
            return None
        return replace(state, words=state.words + begins, written=state.written + 1, last=byte)


def _has_room(state: _State) -> bool:
    """Returns whether the field has room for another word."""
    if state.is_description:
        return state.words < DESCRIPTION_WORDS and state.written < DESCRIPTION_BYTES - 1
    return state.words < TITLE_WORDS and state.written < TITLE_BYTES - 1


def _says_enough(state: _State) -> bool:
    """Returns whether a description is long enough to end; scripts without spaces are measured in bytes."""
    long = state.words >= FEWEST_WORDS or state.written >= FEWEST_BYTES
    return state.is_description and long and state.last != _BLANK


def parse(text: str) -> Iterator[ElementLine]:
    """Yields the lines of a text that have a title and a description, without numbering and emphasis.

    A small model may begin its sentence in the title ("Sweden was among the countries with | two medals"). Such a line is
    joined into a description, and its names become the title.
    """
    for line in text.split("\n"):
        title, bar, description = _MARKUP.sub("", _NUMBERING.sub("", line)).partition("|")
        said = " ".join(description.replace("|", " ").split())
        if not bar or not title.strip() or not said:
            continue
        if _runs_on(title, said):
            said = f"{' '.join(title.split())} {said}"
            title = _names_in(said)
        if title.strip() and len(title.split()) <= TITLE_WORDS:
            yield ElementLine(" ".join(title.split()).rstrip(":."), said)


def _runs_on(title: str, description: str) -> bool:
    """Returns whether a sentence continues from the title into the description."""
    last = title.split()[-1].casefold().strip(",;")
    return description[0].islower() or last in stop_words("en") or title.rstrip().endswith((",", ";"))


def _names_in(sentence: str) -> str:
    """Returns the first two names in a sentence; "" if there are none."""
    found = list(dict.fromkeys(name for name in _NAMES.findall(sentence) if name.casefold() not in stop_words("en")))
    return ", ".join(found[:2])
