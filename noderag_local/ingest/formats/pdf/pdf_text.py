"""Reads the pieces of text on a page of a PDF with their places, and whether there are pictures.

pdfium 150 gives characters one by one, in the order of the file, and makes up spaces and line ends between them.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from noderag_local.ingest.formats.pdf.text_piece import TextPiece

MAX_CHARACTERS = 200_000
"""Most characters of a page; a poster of small print has a tenth."""

_PARTED_WORD = {0xFFFE, 0x02}
"""Codes that pdfium writes for the hyphen of a word split at the end of a line."""
_GAPS = {0x09, 0x0A, 0x0D, 0x20, 0xA0, 0x2002, 0x2003, 0x2009, 0x202F, 0x3000}
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_PIECE_GAP = 0.9
"""Gap that separates two pieces, as a share of the font size."""
_WORD_GAP = 0.25
_BACK = 0.6
_RAISED = 0.2
_NEW_BASELINE = 0.5
_BOLD_WEIGHT = 600
_BOLD_NAMES = (b"bold", b"black", b"heavy", b"cmbx", b"cmssbx", b"sfbx")
_FIXED_PITCH = 1
"""Bit of a font's flags (PDF 32000-1, table 123)."""
_FIXED_NAMES = (b"mono", b"courier", b"cmtt", b"sftt", b"consol", b"menlo", b"nimbusmon")
_PICTURE_DEPTH = 5


@dataclass(frozen=True, slots=True)
class PageText:
    """Text of a page."""

    turns: tuple[tuple[TextPiece, ...], ...]
    """Its text in the order of the file; what is turned against most of it (a stamp in the margin) apart, at the end."""
    height: float
    """In points, with most of the text upright."""
    is_picture: bool
    """Whether it has a picture and no text."""
    unreadable: float
    """Share of its characters whose font does not tell which letters they are."""


class _Font(NamedTuple):
    size: float
    """Font size as printed, in points."""
    is_bold: bool
    is_fixed: bool
    turn: int
    """Quarter turns of its letters to the left; pdfium counts angles to the right."""


class _Glyph(NamedTuple):
    """A named tuple, since a page has thousands and a frozen dataclass takes three times as long to make."""

    text: str
    left: float
    right: float
    baseline: float
    """All three as a person sees the page: x to the right, y downwards."""
    font: _Font


def page_text(page: Any) -> PageText:
    """Returns the text of a pypdfium2 page."""
    text_page = page.get_textpage()
    try:
        glyphs = list(_glyphs(text_page.raw, min(text_page.count_chars(), MAX_CHARACTERS), page.get_mediabox()))
    finally:
        text_page.close()
    found = [glyph for glyph in glyphs if glyph]
    counts = Counter(glyph.font.turn for glyph in found)
    turns = sorted(counts, key=lambda turn: (-counts[turn], turn))
    left, bottom, right, top = page.get_mediabox()
    return PageText(
        tuple(tuple(_pieces([g for g in glyphs if g is None or g.font.turn == turn])) for turn in turns),
        right - left if turns and turns[0] % 2 else top - bottom,
        not found and any(page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=_PICTURE_DEPTH)),
        sum(glyph.text == "\ufffd" for glyph in found) / max(len(found), 1),
    )


def _glyphs(text_page: Any, count: int, page_box: tuple[float, float, float, float]) -> Iterator[_Glyph | None]:
    """Yields the characters of a page; None stands for a space or the end of a line."""
    box, x, y = pdfium.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    fonts: dict[int, _Font] = {}
    font: _Font | None = None
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        if code in _GAPS:
            font = None
            yield None
            continue
        if font is None:
            text_object = ctypes.cast(pdfium.FPDFText_GetTextObject(text_page, index), ctypes.c_void_p).value or 0
            font = fonts.get(text_object) or fonts.setdefault(text_object, _font(text_page, index))
        pdfium.FPDFText_GetLooseCharBox(text_page, index, box)
        pdfium.FPDFText_GetCharOrigin(text_page, index, x, y)
        left, right, baseline = _seen(box, x.value, y.value, font.turn, page_box)
        yield _Glyph(_letters(code), left, right, baseline, font)


def _seen(
    box: pdfium.FS_RECTF, x: float, y: float, turn: int, page_box: tuple[float, float, float, float]
) -> tuple[float, float, float]:
    """Returns (left, right, baseline) of a letter with its line turned level."""
    page_left, page_bottom, page_right, page_top = page_box
    if turn == 0:
        return box.left - page_left, box.right - page_left, page_top - y
    if turn == 1:
        return box.bottom - page_bottom, box.top - page_bottom, x - page_left
    if turn == 2:
        return page_right - box.right, page_right - box.left, y - page_bottom
    return page_top - box.top, page_top - box.bottom, page_right - x


def _font(text_page: Any, index: int) -> _Font:
    matrix = pdfium.FS_MATRIX()
    scale = 1.0
    if pdfium.FPDFText_GetMatrix(text_page, index, matrix):
        scale = math.sqrt(abs(matrix.a * matrix.d - matrix.b * matrix.c)) or 1.0
    flags = ctypes.c_int()
    length = pdfium.FPDFText_GetFontInfo(text_page, index, None, 0, flags)
    name = ctypes.create_string_buffer(max(length, 1))
    pdfium.FPDFText_GetFontInfo(text_page, index, name, length, flags)
    spelled = name.value.lower()
    angle = pdfium.FPDFText_GetCharAngle(text_page, index)
    return _Font(
        pdfium.FPDFText_GetFontSize(text_page, index) * scale,
        any(part in spelled for part in _BOLD_NAMES) or pdfium.FPDFText_GetFontWeight(text_page, index) >= _BOLD_WEIGHT,
        bool(flags.value & _FIXED_PITCH) or any(part in spelled for part in _FIXED_NAMES),
        -round(angle / (math.pi / 2)) % 4,
    )


def _letters(code: int) -> str:
    if code in _PARTED_WORD:
        return "-"
    if code in _LIGATURES:
        return _LIGATURES[code]
    return chr(code) if 0x20 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


def _pieces(glyphs: Sequence[_Glyph | None]) -> Iterator[TextPiece]:
    """Yields runs of characters that follow each other on one baseline without a wide gap."""
    run: list[_Glyph] = []
    text = ""
    is_apart = False
    for glyph in glyphs:
        if glyph is None:
            is_apart = True
            continue
        if run and _starts_piece(run, glyph):
            yield _piece(run, text)
            run, text = [], ""
        elif run and (is_apart or _starts_word(run[-1], glyph)):
            text += " "
        run.append(glyph)
        text += glyph.text
        is_apart = False
    if run:
        yield _piece(run, text)


def _starts_piece(run: Sequence[_Glyph], glyph: _Glyph) -> bool:
    before = run[-1]
    if _are_one_sign(before, glyph):
        return False
    size = max(before.font.size, glyph.font.size)
    gap = glyph.left - before.right
    return abs(glyph.baseline - before.baseline) > _NEW_BASELINE * size or not -_BACK * size < gap < _PIECE_GAP * size


def _are_one_sign(before: _Glyph, glyph: _Glyph) -> bool:
    """Whether both are letters of one ligature, which all have its place."""
    return (before.left, before.baseline) == (glyph.left, glyph.baseline)


def _starts_word(before: _Glyph, glyph: _Glyph) -> bool:
    """Whether a space belongs before a letter though the file has none; a raised number is the call of a footnote."""
    is_call = (
        glyph.text.isdecimal()
        and before.baseline - glyph.baseline > _RAISED * before.font.size
        and not before.text.isdecimal()
    )
    return is_call or glyph.left - before.right > _WORD_GAP * glyph.font.size


def _piece(run: Sequence[_Glyph], text: str) -> TextPiece:
    sizes = Counter(round(glyph.font.size, 1) for glyph in run)
    size = max(sizes, key=lambda size: (sizes[size], size))
    baselines = sorted(glyph.baseline for glyph in run if round(glyph.font.size, 1) == size)
    return TextPiece(
        text,
        min(glyph.left for glyph in run),
        max(glyph.right for glyph in run),
        baselines[len(baselines) // 2],
        size,
        all(glyph.font.is_bold for glyph in run),
        all(glyph.font.is_fixed for glyph in run),
    )
