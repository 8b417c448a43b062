"""Defines pieces of text on a page, makes lines of them, and joins lines to running text.

Lengths are points (1/72 inch). x grows to the right and y downwards, as one reads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SAME_LINE = 0.45
"""Largest distance of two baselines in one line, as a share of the font size (raised numbers and mixed fonts)."""
_CELL_GAP = 1.4
"""Gap in a line that separates two cells of a table, as a share of the font size."""
_WORD_GAP = 0.12
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PARTED = re.compile(r"(?<![^\W\d_])([^\W\d_]++)[-\u2010\u00ad]$")
_NEXT = re.compile(r"[^\W\d_]+")
_MAX_WORD = 80
"""Characters at the end of a line that are examined."""
_CONJUNCTIONS = {"und", "oder", "bzw", "and", "or", "to", "bis", "et", "ou", "och", "en", "of", "y"}
"""After these a hyphen stands for a word that comes later: "Haupt- und Nebensatz"."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Text that a page sets at one go, without a wide gap."""

    text: str
    left: float
    right: float
    baseline: float
    size: float
    """Font size of most of its characters, as printed."""
    is_bold: bool = False
    is_fixed: bool = False
    """Whether all its characters have the same width, as in program text."""


@dataclass(frozen=True, slots=True)
class Line:
    """Pieces side by side in one column."""

    pieces: tuple[TextPiece, ...]
    """Pieces of the line from left to right; never empty."""
    page: int
    """Number of the page, from 1."""
    column: int = 0
    """Number of the column on its page, in reading order; what runs across between two columns counts as one."""

    @property
    def cells(self) -> tuple[tuple[float, str], ...]:
        """(left end, text) of each cell of a row of a table; one cell if the line is running text."""
        cells: list[tuple[float, str]] = []
        before: TextPiece | None = None
        for piece in self.pieces:
            gap = piece.left - before.right if before else 0.0
            if before and gap < _CELL_GAP * max(before.size, piece.size):
                space = " " if gap > _WORD_GAP * piece.size else ""
                cells[-1] = (cells[-1][0], f"{cells[-1][1]}{space}{piece.text}")
            else:
                cells.append((piece.left, piece.text))
            before = piece
        return tuple(cells)

    @property
    def text(self) -> str:
        """Text of the line, with a space between two cells."""
        return " ".join(text for _, text in self.cells)

    @property
    def left(self) -> float:
        """Left end, in points."""
        return self.pieces[0].left

    @property
    def right(self) -> float:
        """Right end, in points."""
        return max(piece.right for piece in self.pieces)

    @property
    def baseline(self) -> float:
        """Baseline of the piece with most text, in points from the top of the page."""
        return self._largest.baseline

    @property
    def size(self) -> float:
        """Font size of the piece with most text, in points."""
        return self._largest.size

    @property
    def is_bold(self) -> bool:
        """Whether all pieces are bold."""
        return all(piece.is_bold for piece in self.pieces)

    @property
    def is_fixed(self) -> bool:
        """Whether all characters have the same width, as in program text."""
        return all(piece.is_fixed for piece in self.pieces)

    @property
    def _largest(self) -> TextPiece:
        """Piece with most text; its font counts as that of the line."""
        return max(self.pieces, key=lambda piece: len(piece.text))


def lines_of(pieces: Iterable[TextPiece], page: int) -> list[Line]:
    """Returns the pieces of one column as lines from top to bottom.

    Args:
        pieces: pieces in any order.
        page: number of their page, from 1.
    """
    lines: list[list[TextPiece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.baseline, piece.left)):
        near = [line for line in lines[-3:] if _are_level(line, piece)]
        if near:
            near[-1].append(piece)
        else:
            lines.append([piece])
    return [Line(tuple(sorted(line, key=lambda piece: piece.left)), page) for line in lines]


def _are_level(line: Sequence[TextPiece], piece: TextPiece) -> bool:
    other = max(line, key=lambda piece: piece.size)
    return abs(other.baseline - piece.baseline) < SAME_LINE * max(other.size, piece.size) and all(
        piece.left > beside.right - 0.5 * piece.size or piece.right < beside.left + 0.5 * piece.size for beside in line
    )


class HyphenVocabulary:
    """Words of a document, to tell a word that was split at a line's end from one with a hyphen."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        for line in lines:
            words = _WORD.findall(line)
            self._counts.update(word.casefold() for word in words)

    def joined(self, lines: Iterable[str]) -> str:
        """Returns the lines of one paragraph as one line."""
        parts: list[str] = []
        for line in lines:
            shown = line.strip()
            if shown and parts:
                parts[-1:] = self._bridged(parts[-1], shown)
            elif shown:
                parts.append(shown)
        return "".join(parts).replace("\u00ad", "")

    def _bridged(self, above: str, below: str) -> tuple[str, str]:
        """Returns two lines with what belongs between them: a space, a hyphen or nothing."""
        parted, following = _PARTED.search(above[-_MAX_WORD:]), _NEXT.match(below[:_MAX_WORD])
        if parted and following:
            return self._mended(above, below, parted[1], following[0])
        ends_open = above.endswith(("-", "–", "/")) and len(above) > 1 and not above[-2].isspace() and following is None
        if ends_open or (_CJK.match(above[-1]) and _CJK.match(below[0])):
            return above, below
        return above, f" {below}"

    def _mended(self, above: str, below: str, first: str, second: str) -> tuple[str, str]:
        if second.casefold() in _CONJUNCTIONS:
            return above, f" {below}"
        whole, hyphened = (first + second).casefold(), f"{first}-{second}".casefold()
        keeps_hyphen = second[0].isupper() or self._counts[hyphened] > self._counts[whole]
        return f"{above[:-1]}-" if keeps_hyphen and above[-1] != "\u00ad" else above[:-1], below
