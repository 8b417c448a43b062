"""A screen as text that can be kept beside a test: what stands on it, and below that the style of every cell.

It is made of the application's own export. As SVG, sixty kilobytes a screen and theme would be kept; this is three for
both themes, and a change can be read line by line. Both themes show the same text, so a letter of the second part stands
for a pair of styles.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple
from xml.etree import ElementTree

from rich.cells import cell_len, split_graphemes
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

CELL_WIDTH, LINE_HEIGHT = 12.2, 24.4
"""Of a cell in an SVG that rich 15 makes."""
SVG = "{http://www.w3.org/2000/svg}"
COMMONEST = "·"
"""Stands for the pair of styles that most cells of a picture have; left out at the end of a line."""


class Cell(NamedTuple):
    """One place of the screen."""

    sign: str = ""
    """A whole grapheme; "" for a blank and for the second half of a wide one."""
    ink: str = ""
    """Of the sign: `#e6e8ea bold`."""
    paper: str = ""
    """Behind it."""


Rows = list[list[Cell]]


class PictureFile(SingleFileSnapshotExtension):
    """Each picture in a text file of its own."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT


def cells_of(svg: str, size: tuple[int, int]) -> Rows:
    """The cells of a terminal of (columns, lines) from a picture that Textual has exported."""
    root = ElementTree.fromstring(svg)
    inks = dict(_inks(svg))
    columns, lines = size
    rows = [[Cell()] * columns for _ in range(lines)]
    for area in root.iter(f"{SVG}rect"):
        if "shape-rendering" in area.attrib:
            line, start, width = _line_at(area), _column(area, "x"), _column(area, "width")
            rows[line][start : start + width] = [Cell(paper=area.attrib["fill"])] * width
    for text in root.iter(f"{SVG}text"):
        if "clip-path" in text.attrib:
            line = int(text.attrib["clip-path"].rpartition("-")[2].rstrip(")"))
            _write(rows[line], _column(text, "x"), text.text or "", inks[text.attrib["class"]])
    return rows


def blotted(rows: Rows, secrets: Sequence[str]) -> Rows:
    """Without what a machine decides, whatever the theme.

    Args:
        secrets: patterns of texts on one line; each is shown as blanks of the same width.
    """
    for row in rows:
        columns = [column for column, cell in enumerate(row) for _ in cell.sign or " "]
        text = "".join(cell.sign or " " for cell in row)
        for found in chain.from_iterable(re.finditer(secret, text) for secret in secrets):
            for column in columns[found.start() : found.end()]:
                row[column] = Cell(paper=row[column].paper)
    return rows


def drawn(themes: Mapping[str, Rows]) -> str:
    """The same screen in some themes, as text.

    Raises:
        AssertionError: the words of the screen depend on the theme.
    """
    texts = {name: [_text(row) for row in rows] for name, rows in themes.items()}
    first, *others = texts
    for other in others:
        lines = zip(texts[first], texts[other], strict=True)
        differing = [pair for pair in lines if pair[0] != pair[1]]
        assert not differing, f"the screen says other things in {other} than in {first}: {differing}"
    styles = [
        [tuple((cell.ink, cell.paper) for cell in cells) for cells in zip(*lines, strict=True)]
        for lines in zip(*themes.values(), strict=True)
    ]
    letters = dict(zip(_by_appearance(styles), _letters(), strict=False))
    drawing = ["".join(letters[style] for style in line).rstrip(COMMONEST) for line in styles]
    legend = [f"{letter}  {_told(style, themes)}" for style, letter in letters.items()]
    return "\n".join([*texts[first], "", "-- styles", *drawing, "", *legend, ""])


def _inks(svg: str) -> Iterator[tuple[str, str]]:
    """(class, colour and what else is done to the letters)"""
    for name, rules in re.findall(r"\.([\w-]+-r\d+) \{ (.*?) \}", svg):
        told = [word for word in ("bold", "italic", "underline", "line-through") if word in rules]
        (colour,) = re.findall(r"fill: (#\w+)", rules)
        yield name, " ".join([colour, *told])


def _line_at(area: ElementTree.Element) -> int:
    return round((float(area.attrib["y"]) - 1.5) / LINE_HEIGHT)


def _column(element: ElementTree.Element, attribute: str) -> int:
    return round(float(element.attrib[attribute]) / CELL_WIDTH)


def _write(row: list[Cell], column: int, text: str, ink: str) -> None:
    plain = text.rstrip("\n").replace("\N{NO-BREAK SPACE}", " ")
    for start, end, width in split_graphemes(plain)[0]:
        sign = plain[start:end]
        if sign != " ":
            row[column] = row[column]._replace(sign=sign, ink=ink)
            for half in range(column + 1, min(column + width, len(row))):
                row[half] = row[half]._replace(sign="", ink=ink)
        column += width


def _text(row: list[Cell]) -> str:
    """A line; the second half of a wide sign is no blank."""
    signs = [
        cell.sign if cell.sign else " " * (not (before.sign and cell_len(before.sign) > 1))
        for before, cell in zip([Cell(), *row], row, strict=False)
    ]
    return "".join(signs).rstrip()


def _by_appearance(styles: Sequence[Sequence[tuple[tuple[str, str], ...]]]) -> list[tuple[tuple[str, str], ...]]:
    """All pairs of styles, the commonest first, the others as they come."""
    found = Counter(chain.from_iterable(styles))
    (commonest, _), *_ = found.most_common(1)
    return [commonest, *(style for style in found if style != commonest)]


def _letters() -> Iterator[str]:
    yield COMMONEST
    yield from string.ascii_letters + string.digits
    yield from map(chr, count(ord("α")))


def _told(style: tuple[tuple[str, str], ...], themes: Mapping[str, Rows]) -> str:
    parts = [
        f"{name} {ink} on {paper}" if ink else f"{name} {paper}"
        for name, (ink, paper) in zip(themes, style, strict=True)
    ]
    return ", ".join(parts)
