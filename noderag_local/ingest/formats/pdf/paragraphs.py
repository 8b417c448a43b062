"""Turns lines in reading order into headings, paragraphs, list items, table rows and program text.

A heading is set larger than the text, or wholly bold and short. A paragraph ends at a wider gap, at another font, and
before a line that is indented or follows one that ends short. One that runs on over the end of a page is one
paragraph, and stands where it starts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.office.tabular import stated_rows
from noderag_local.ingest.formats.pdf.text_piece import HyphenVocabulary, Line

_LARGER = 1.12
"""Times the size of the text that makes a line a heading."""
_SAME_SIZE = 0.08
_MAX_HEADING_CHARACTERS = 160
_WIDE_GAP = 1.3
"""Times the usual distance of two lines that ends a paragraph."""
_INDENT = 0.7
"""Indent that begins a paragraph, as a share of the font size."""
_SLACK = 0.5
"""Room that the last line of a paragraph leaves beyond the next word, as a share of the font size."""
_MIN_TABLE_ROWS = 3
_ITEM = re.compile(r"(?:[•◦▪‣∙·●○■□–—*\uf0b7\uf0a7-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s+(?=\S)")
_MARK = re.compile(r"[•◦▪‣∙·●○■□–—*\uf0b7\uf0a7-]$|\(?(?:\d{1,3}|[a-z])[.)]$")
_ENDS_SENTENCE = re.compile(r"[.!?:。！？…][\"'”’»)\]]*$")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of a page, before its level among the headings is known."""

    kind: BlockKind
    text: str
    page: int
    """Number of the page on which the block starts, from 1."""
    size: float
    is_bold: bool


def paragraphs_of(pages: Sequence[Sequence[Line]]) -> list[Paragraph]:
    """Returns the blocks of a document.

    Args:
        pages: the lines of each page in reading order, without running heads.
    """
    lines = [line for page in pages for line in page]
    if not lines:
        return []
    body = _body_size(lines)
    vocabulary = HyphenVocabulary(line.text for line in lines)
    groups = list(_groups(lines, body, _usual_distance(lines)))
    return [block for group in _joined_over_edges(groups, body) for block in _blocks(group, body, vocabulary)]


def body_size(paragraphs: Sequence[Paragraph]) -> float:
    """Returns the font size of most of the text."""
    sizes: Counter[float] = Counter()
    for paragraph in paragraphs:
        sizes[paragraph.size] += len(paragraph.text)
    return max(sizes, key=lambda size: (sizes[size], size), default=0.0)


def _body_size(lines: Sequence[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], size))


def _usual_distance(lines: Sequence[Line]) -> float:
    """Returns the usual distance of two lines of a paragraph, as a multiple of the font size."""
    distances = [
        (below.baseline - above.baseline) / above.size
        for above, below in pairwise(lines)
        if above.page == below.page and 0 < below.baseline - above.baseline < 2.5 * above.size
    ]
    return median(distances) if distances else 1.2


@dataclass(slots=True)
class _Column:
    """Left and right end of the lines of one column, in points."""

    left: float
    right: float


def _groups(lines: Sequence[Line], body: float, distance: float) -> Iterator[list[Line]]:
    """Yields lines that belong together: a paragraph, a heading, a table or a piece of program text."""
    columns = _columns(lines)
    group: list[Line] = []
    at = 0
    while at < len(lines):
        rows = _table_rows(lines, at)
        if rows:
            if group:
                yield group
            yield list(lines[at : at + rows])
            group = []
            at += rows
            continue
        line = lines[at]
        if group and _starts_group(group, line, columns[at - 1], columns[at], body, distance):
            yield group
            group = []
        group.append(line)
        at += 1
    if group:
        yield group


def _columns(lines: Sequence[Line]) -> list[_Column]:
    """Returns the column of each line, made of the lines that follow each other downwards on a page."""
    columns: list[_Column] = []
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or not _follows(lines[at - 1], lines[at]):
            run = lines[start:at]
            column = _Column(min(line.left for line in run), max(line.right for line in run))
            columns += [column] * len(run)
            start = at
    return columns


def _follows(above: Line, line: Line) -> bool:
    """Whether a line stands below another one in the same column."""
    return (above.page, above.column) == (line.page, line.column) and above.baseline < line.baseline


def _table_rows(lines: Sequence[Line], at: int) -> int:
    """Returns how many lines from here on are rows of one table: with as many cells each, at the same places."""
    cells = lines[at].cells
    if len(cells) < 2 or _MARK.fullmatch(cells[0][1]):
        return 0
    rows = 1
    while at + rows < len(lines):
        below = lines[at + rows]
        if below.page != lines[at].page or not _are_aligned(lines[at], below):
            break
        rows += 1
    return rows if rows >= _MIN_TABLE_ROWS else 0


def _are_aligned(row: Line, below: Line) -> bool:
    """Whether two lines have the same columns: their cells begin, end or are centred at the same places."""
    if len(row.cells) != len(below.cells) or below.baseline <= row.baseline:
        return False
    return all(_share_an_axis(one, other) for one, other in zip(_spans(row), _spans(below), strict=True))


def _spans(line: Line) -> list[tuple[float, float]]:
    """Returns (left, right) of each cell, in points."""
    starts = [left for left, _ in line.cells]
    return [
        (start, max(piece.right for piece in line.pieces if start <= piece.left and (end is None or piece.left < end)))
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    ]


def _share_an_axis(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _starts_group(
    group: Sequence[Line], line: Line, before: _Column, column: _Column, body: float, distance: float
) -> bool:
    last = group[-1]
    if abs(line.size - last.size) > _SAME_SIZE * last.size or line.is_fixed != last.is_fixed:
        return True
    if line.is_bold != last.is_bold and (_looks_bold_heading(group) or (line.is_bold and _ends(last, before, line))):
        return True
    follows = _follows(last, line)
    if line.page == last.page and line.baseline - last.baseline > _WIDE_GAP * distance * last.size:
        return True
    if line.is_fixed or (follows and line.size > body * _LARGER):
        return not follows
    if not follows:
        return _starts_anew_over_the_edge(last, line, before)
    if _ITEM.match(line.text):
        return True
    indented = line.left - column.left > _INDENT * line.size
    first_is_indented = len(group) == 1 and group[0].left - line.left > _INDENT * line.size
    is_hanging = _ITEM.match(group[0].text) is not None or _hangs(group)
    if indented and not is_hanging and line.left - last.left > _INDENT * line.size and not first_is_indented:
        return True
    if is_hanging and group[0].left - line.left > -_INDENT * line.size and _ends(last, before, line):
        return True
    return _ends(last, before, line) and _ENDS_SENTENCE.search(last.text) is not None


def _hangs(group: Sequence[Line]) -> bool:
    """Whether the first line stands out to the left, as in a list of references."""
    return len(group) > 1 and group[1].left - group[0].left > _INDENT * group[0].size


def _ends(line: Line, column: _Column, below: Line) -> bool:
    """Whether a line leaves room for the first word of the next, so that a paragraph may end there."""
    text = below.text
    word = (below.right - below.left) * (len(text.split(maxsplit=1)[0]) + 1) / len(text)
    return column.right - line.right > word + _SLACK * line.size


def _starts_anew_over_the_edge(last: Line, line: Line, column: _Column) -> bool:
    """Whether the first line of a column or page begins a new paragraph."""
    if _ITEM.match(line.text):
        return True
    return _ENDS_SENTENCE.search(last.text) is not None and (not line.text[:1].islower() or _ends(last, column, line))


def _looks_bold_heading(group: Sequence[Line]) -> bool:
    return all(line.is_bold for line in group)


def _joined_over_edges(groups: Sequence[list[Line]], body: float) -> Iterator[list[Line]]:
    """Yields groups of lines, with paragraphs that a column or page end cut in two made whole; footnotes come after them."""
    waiting: list[list[Line]] = []
    for group in groups:
        if waiting and _runs_on(waiting[0], group, body):
            waiting[0].extend(group)
        elif waiting and _is_footnote(group, waiting[0]):
            waiting.append(group)
        else:
            yield from waiting
            waiting = [group]
    yield from waiting


def _is_footnote(group: Sequence[Line], above: Sequence[Line]) -> bool:
    last, first = above[-1], group[0]
    return first.size < last.size * (1 - _SAME_SIZE) and last.page == first.page and last.baseline < first.baseline


def _runs_on(group: Sequence[Line], following: Sequence[Line], body: float) -> bool:
    last, first = group[-1], following[0]
    return (
        not _follows(last, first)
        and abs(last.size - first.size) <= _SAME_SIZE * last.size
        and not last.is_fixed
        and len(last.cells) == len(first.cells) == 1
        and first.text[:1].islower()
        and _ENDS_SENTENCE.search(last.text) is None
        and last.size <= body * _LARGER
    )


def _blocks(group: Sequence[Line], body: float, vocabulary: HyphenVocabulary) -> Iterator[Paragraph]:
    first = group[0]
    size, is_bold = round(first.size, 1), all(line.is_bold for line in group)

    def block(kind: BlockKind, text: str) -> Paragraph:
        return Paragraph(kind, text, first.page, size, is_bold)

    if len(group) >= _MIN_TABLE_ROWS and all(len(line.cells) == len(first.cells) > 1 for line in group):
        for _, statement in stated_rows([[text for _, text in line.cells] for line in group]):
            yield block(BlockKind.TABLE_ROW, statement)
    elif first.is_fixed and all(line.is_fixed for line in group):
        yield block(BlockKind.CODE, _program_text(group))
    else:
        text = vocabulary.joined(line.text for line in group)
        mark = _ITEM.match(text)
        if _is_heading(text, size, is_bold, len(group), body):
            yield block(BlockKind.HEADING, text)
        elif mark:
            yield block(BlockKind.LIST_ITEM, text[mark.end() :] if not text[0].isalnum() and text[0] != "(" else text)
        else:
            yield block(BlockKind.PARAGRAPH, text)


def _is_heading(text: str, size: float, is_bold: bool, lines: int, body: float) -> bool:
    if len(text) > _MAX_HEADING_CHARACTERS or not any(sign.isalpha() for sign in text):
        return False
    if size > body * _LARGER:
        return True
    is_plain = lines <= 2 and not _ENDS_SENTENCE.search(text) and not text.endswith((",", ";"))
    return is_bold and size > body * (1 - _SAME_SIZE) and is_plain


def _program_text(group: Sequence[Line]) -> str:
    """Returns lines of program text with their indentation, which the page shows by place alone."""
    left = min(line.left for line in group)
    piece = max((piece for line in group for piece in line.pieces), key=lambda piece: len(piece.text))
    width = (piece.right - piece.left) / max(len(piece.text), 1) or 1.0
    return "\n".join(" " * max(round((line.left - left) / width), 0) + line.text for line in group)
