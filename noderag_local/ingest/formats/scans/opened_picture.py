"""Opens pictures with Pillow 13, within limits: the pixels are counted before any is decoded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from PIL import (
    Image,
    ImageFile,
    ImageOps,
    ImageSequence,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    UnidentifiedImageError,
    WebPImagePlugin,
)

from noderag_local.domain.errors import DocumentError

MAX_PIXELS = 120_000_000
"""Most pixels of a picture; cameras make up to 100 million, a bomb of a few kilobytes thousands of millions."""
MAX_FRAMES = 500
"""Pages of a TIFF file; the rest is left out. Moving pictures are read as their first one."""
# Named, so that Pillow looks for no other. A JPEG of several pictures (MPO) is opened as a JPEG.
FORMATS = (
    PngImagePlugin.PngImageFile.format,
    JpegImagePlugin.JpegImageFile.format,
    TiffImagePlugin.TiffImageFile.format,
    WebPImagePlugin.WebPImageFile.format,
)


@contextmanager
def opened_picture(file: BinaryIO) -> Iterator[ImageFile.ImageFile]:
    """Opens a picture without decoding it.

    Raises:
        DocumentError: it is no picture of these formats, or has too many pixels.
    """
    file.seek(0)
    # Our own limit comes with a message that says what to do.
    Image.MAX_IMAGE_PIXELS = None
    try:
        picture = Image.open(file, formats=FORMATS)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise DocumentError("it is damaged, or no picture: it cannot be opened") from error
    with picture:
        _check_size(picture)
        yield picture


def pages_of(picture: Image.Image) -> int:
    """Returns the number of pages of an opened picture: several in a TIFF only."""
    return min(int(getattr(picture, "n_frames", 1)), MAX_FRAMES) if picture.format == "TIFF" else 1


def upright_pages(picture: Image.Image, longest_side: int) -> Iterator[Image.Image]:
    """Yields the pages of an opened picture, upright as the camera noted, in red, green and blue on white.

    Args:
        picture: as `opened_picture` gives it.
        longest_side: pixels to which larger pages are reduced.

    Raises:
        DocumentError: a page is damaged, or has too many pixels.
    """
    # A JPEG can be decoded at half of its size and less.
    picture.draft("RGB", (longest_side, longest_side))
    for number, page in enumerate(ImageSequence.Iterator(picture)):
        if number >= pages_of(picture):
            return
        _check_size(page)
        try:
            yield _on_white(_reduced(page, longest_side))
        except (OSError, ValueError, SyntaxError) as error:
            raise DocumentError("it is damaged: its picture breaks off or cannot be decoded") from error


def _check_size(picture: Image.Image) -> None:
    width, height = picture.size
    if width * height > MAX_PIXELS:
        raise DocumentError(
            f"it has {width:,} × {height:,} pixels, and at most {MAX_PIXELS // 1_000_000} million are read. Save a smaller copy"
        )


def _reduced(page: Image.Image, longest_side: int) -> Image.Image:
    factor = max(1, max(page.size) // longest_side)
    turned = ImageOps.exif_transpose(page.reduce(factor) if factor > 1 and page.mode in ("L", "RGB", "RGBA") else page)
    turned.thumbnail((longest_side, longest_side))
    return turned


def _on_white(page: Image.Image) -> Image.Image:
    if page.mode.startswith("I"):
        # 16 bits a pixel: Pillow would cut off what is above 8 instead of scaling it.
        page = page.convert("I").point(lambda value: value / 256)
        return page.convert("L").convert("RGB")
    if "A" not in page.getbands() and "transparency" not in page.info:
        return page.convert("RGB")
    layered = page.convert("RGBA")
    white = Image.new("RGBA", layered.size, "white")
    return Image.alpha_composite(white, layered).convert("RGB")
