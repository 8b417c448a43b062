"""Pictures of text: with Pillow's own font, which has no accents, and with the fonts of pdfium, which has them."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Sequence

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image, ImageDraw, ImageFont

POINTS_A_LINE = 24
_SCALE = 300 / 72


def picture_of(lines: Sequence[str], size: tuple[int, int] = (1000, 500)) -> Image.Image:
    """A white page with some lines of text."""
    page = Image.new("RGB", size, "white")
    font = ImageFont.load_default(size=32)
    for number, line in enumerate(lines):
        ImageDraw.Draw(page).text((60, 60 + 60 * number), line, fill="black", font=font)
    return page


def as_file(page: Image.Image, kind: str, more: Sequence[Image.Image] = ()) -> bytes:
    """The bytes of a picture, or of a document with several, in a format of Pillow: PNG, JPEG, TIFF, WEBP or PDF."""
    file = io.BytesIO()
    pages = {"save_all": True, "append_images": list(more)} if more else {}
    page.save(file, kind, **pages)
    return file.getvalue()


def printed(lines: Sequence[str]) -> Image.Image:
    """A page of 300 dpi with some lines in Times of 11 points, letters of Western Europe."""
    document = pypdfium2.PdfDocument.new()
    page = document.new_page(400, POINTS_A_LINE * (len(lines) + 2))
    for number, line in enumerate(lines, start=1):
        text = pdfium.FPDFPageObj_NewTextObj(document.raw, b"Times-Roman", 11)
        letters = (line + "\0").encode("utf-16-le")
        pdfium.FPDFText_SetText(text, ctypes.cast(letters, pdfium.FPDF_WIDESTRING))
        pdfium.FPDFPageObj_Transform(text, 1, 0, 0, 1, 30, page.get_height() - POINTS_A_LINE * (number + 0.5))
        pdfium.FPDFPage_InsertObject(page.raw, text)
    pdfium.FPDFPage_GenerateContent(page.raw)
    picture = page.render(scale=_SCALE).to_pil().convert("RGB")
    document.close()
    return picture
