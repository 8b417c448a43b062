"""Holds the model to lines "number subject | predicate | object" with names copied from the chunk.

The constraint makes a small model keep to the form: numbers only grow, names are runs of whole words of the text, nothing is
endless. A grammar cannot say "copied from this text" without spelling the text out; an automaton over its bytes can, and
costs a few comparisons a token.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from enum import Enum, auto

from noderag_local.extraction.statements.numbered_text import PRONOUNS, NumberedText
from noderag_local.extraction.statements.statement_lines import (
    MOST_NAME_BYTES,
    MOST_PREDICATE_BYTES,
    MOST_PREDICATE_WORDS,
)

ENOUGH_NAME_WORDS = 6
"""The constraint ends a name at the first word from here on that can close one."""
MOST_SKIPPED = 2
"""Most sentences in a row without a line. Without this, a model that wants to write "1" once more is led on to "10"."""

_PREDICATE_START = re.compile(rb"[\w\x80-\xff]")
_PREDICATE_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -',()")
"""Bytes that a predicate may always have; others only if the text itself has them."""
_Utf8 = codecs.getincrementaldecoder("utf-8")


class _Part(Enum):
    NUMBER = auto()
    SUBJECT = auto()
    PREDICATE = auto()
    OBJECT = auto()


@dataclass(frozen=True, slots=True)
class _State:
    """State of a text that is being written; a byte leads to the next state or nowhere."""

    part: _Part = _Part.NUMBER
    field: bytes = b""
    ends: tuple[int, ...] = ()
    """Offsets where copies of the present name end in the source."""
    closing: int = 0
    """Bytes of the delimiter after a field that are written."""
    number: int = 1
    """Number of the sentence; it never decreases."""
    lines: int = 0
    """Count of finished lines with this number."""
    fact: tuple[bytes, ...] = ()
    """The finished fields of this line, in lower case."""
    facts: frozenset[tuple[bytes, ...]] = frozenset()
    """Facts of the lines before."""


class StatementConstraint:
    """Holds a text to such lines; see `models.llm.engine.Constraint`."""

    def __init__(self, text: NumberedText) -> None:
        self._text = text
        self._state = _State()
        self._predicate_bytes = _PREDICATE_BYTES | {byte for byte in text.source if byte >= 128}
        self._word_is_over = False

    def allows(self, piece: bytes) -> bool:
        """Returns whether the text may continue with a piece.

        A piece that ends in a whole stop word never begins a longer word: a model that writes "in" does not mean "inch". When
        a new word was refused, the word before it must end, too: a model that may not write "European Union" would write
        "EuropeanUnion". Such a refusal is remembered until the next `accept`. The model's own choice is asked first.
        """
        if self._word_is_over and piece[:1] not in (b" ", b"\n"):
            return False
        state = self._after(piece)
        if state is None and len(piece) > 1 and piece.startswith(b" "):
            self._word_is_over = self._after(b" |") is not None or self._after(b"\n") is not None
        return state is not None and not self._means_stop_word(state)

    def accept(self, piece: bytes) -> None:
        """Continues the text with a piece."""
        state = self._after(piece)
        if state is None:
            raise ValueError(f"{piece!r} is not allowed here")
        self._state = state
        self._word_is_over = False

    def may_end(self) -> bool:
        """Returns whether the text may end: between two lines, or after a name that completes one."""
        state = self._state
        between = state.part is _Part.NUMBER and not state.field
        return between or (state.part is _Part.OBJECT and self._at_word_end(state))

    def forced(self) -> bytes:
        """Returns the number of the next line if only one is possible, else nothing."""
        state = self._state
        if state.part is not _Part.NUMBER or state.field:
            return b""
        numbers = self._numbers(state)
        return b"%d" % numbers[0] if len(numbers) == 1 else b""

    def _after(self, piece: bytes) -> _State | None:
        state: _State | None = self._state
        for byte in piece:
            if state is None:
                return None
            state = _STEPS[state.part](self, state, byte)
        return state if piece else None

    def _numbers(self, state: _State) -> range:
        lines = self._text.lines
        full = state.number <= len(lines) and state.lines >= lines[state.number - 1]
        return range(state.number + full, min(len(lines), state.number + MOST_SKIPPED + 1) + 1)

    def _in_number(self, state: _State, byte: int) -> _State | None:
        numbers = self._numbers(state)
        if byte == _BLANK and state.field and int(state.field) in numbers:
            number = int(state.field)
            lines = state.lines if number == state.number else 0
            return _State(_Part.SUBJECT, number=number, lines=lines, facts=state.facts)
        field = state.field + bytes((byte,))
        return replace(state, field=field) if any((b"%d" % n).startswith(field) for n in numbers) else None

    def _in_name(self, state: _State, byte: int) -> _State | None:
        if state.closing:
            closed = self._closed(state, byte)
            if closed is not None or state.closing > 1:
                return closed
        whole = self._at_word_end(state)
        enough = whole and (state.field.count(b" ") + 1 >= ENOUGH_NAME_WORDS or len(state.field) > MOST_NAME_BYTES // 2)
        ends = () if enough else self._ends(state, byte)
        space = byte == _BLANK and whole and state.part is _Part.SUBJECT
        field = state.field + bytes((byte,))
        return replace(state, field=field, ends=ends, closing=int(space)) if ends or space else None

    def _in_object(self, state: _State, byte: int) -> _State | None:
        if byte == _BREAK:
            return self._next_line(state) if self._at_word_end(state) else None
        return self._in_name(state, byte)

    def _in_predicate(self, state: _State, byte: int) -> _State | None:
        if state.closing:
            closed = self._closed(state, byte)
            if closed is not None or state.closing > 1:
                return closed
        field = state.field + bytes((byte,))
        if byte == _BLANK:
            enough = bool(state.field) and not state.closing and _is_text(field)
            return replace(state, field=field, closing=1) if enough else None
        full = len(field) > MOST_PREDICATE_BYTES or field.count(b" ") >= MOST_PREDICATE_WORDS
        if full or byte not in self._predicate_bytes or not _PREDICATE_START.match(field) or not _is_text(field):
            return None
        return replace(state, field=field, closing=0)

    def _closed(self, state: _State, byte: int) -> _State | None:
        """Takes the byte after the blank that may begin the delimiter; the blank after its bar begins the next field."""
        if state.closing == 1 and byte == _BAR:
            return replace(state, closing=2)
        if state.closing == 2 and byte == _BLANK:
            following = _Part.PREDICATE if state.part is _Part.SUBJECT else _Part.OBJECT
            return replace(state, part=following, field=b"", ends=(), closing=0, fact=_finished(state))
        return None

    def _next_line(self, state: _State) -> _State:
        return _State(number=state.number, lines=state.lines + 1, facts=state.facts | {_finished(state)})

    def _ends(self, state: _State, byte: int) -> tuple[int, ...]:
        """Returns where the copies of the name with one more byte end."""
        text = self._text
        if not state.field:
            said = [fact[-1] for fact in state.facts if fact[:-1] == state.fact]
            return tuple(
                start + 1
                for start in text.starts
                if text.folded[start] == _lower(byte) and not any(text.folded.startswith(one, start) for one in said)
            )
        source = text.folded if state.field.endswith(b" ") else text.source
        wanted = bytes((_lower(byte),)) if state.field.endswith(b" ") else bytes((byte,))
        ahead = 1 if byte == _BLANK else 0
        return tuple(
            end + 1 for end in state.ends if source[end : end + 1] == wanted != b"\n" and end + ahead not in text.barred
        )

    def _at_word_end(self, state: _State) -> bool:
        """Tells whether the name so far is whole words of the text."""
        return any(end in self._text.ends for end in state.ends)

    def _means_stop_word(self, state: _State) -> bool:
        if state.part not in (_Part.SUBJECT, _Part.OBJECT) or any(end in self._text.word_ends for end in state.ends):
            return False
        word = state.field.rsplit(b" ", 1)[-1].lower()
        return word in PRONOUNS or word in self._text.stop_words


_BLANK, _BAR, _BREAK = b" |\n"
_STEPS = {
    _Part.NUMBER: StatementConstraint._in_number,
    _Part.SUBJECT: StatementConstraint._in_name,
    _Part.PREDICATE: StatementConstraint._in_predicate,
    _Part.OBJECT: StatementConstraint._in_object,
}


def _finished(state: _State) -> tuple[bytes, ...]:
    return (*state.fact, state.field.strip().lower())


def _is_text(field: bytes) -> bool:
    """Tells whether the bytes are UTF-8, or its beginning."""
    try:
        _Utf8().decode(field)
    except UnicodeDecodeError:
        return False
    return True


def _lower(byte: int) -> int:
    return byte + 32 if 65 <= byte <= 90 else byte
