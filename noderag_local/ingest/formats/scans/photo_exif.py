"""Reads the metadata that cameras write into a picture (EXIF): when, where and with what camera it was taken.

Some programs write a title, a description and keywords there, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from PIL import Image
from PIL.ExifTags import GPS, IFD, Base

from noderag_local.ingest.formats.block_writer import folded_text
from noderag_local.ingest.formats.scans.damaged_metadata import sound
from noderag_local.ingest.formats.scans.photo_record import PhotoData, folded_texts, moment

_XP_TITLE, _XP_COMMENT, _XP_KEYWORDS, _XP_SUBJECT = 0x9C9B, 0x9C9C, 0x9C9E, 0x9C9F


def exif_data(picture: Image.Image) -> PhotoData:
    """Returns the EXIF metadata of an opened picture.

    Raises:
        Exception: one of `damaged_metadata.BROKEN` if they are damaged.
    """
    exif = picture.getexif()
    details: dict[int, Any] = sound(lambda: exif.get_ifd(IFD.Exif), {})
    places: dict[int, Any] = sound(lambda: exif.get_ifd(IFD.GPSInfo), {})
    maker, model = (_latin(exif.get(tag)) for tag in (Base.Make, Base.Model))
    said = next(
        (text for text in (_latin(exif.get(Base.ImageDescription)), *_wide(exif, _XP_COMMENT, _XP_SUBJECT)) if text), ""
    )
    words = [word for text in _wide(exif, _XP_KEYWORDS) for word in text.split(";")]
    return PhotoData(
        title=next(_wide(exif, _XP_TITLE), ""),
        description=said,
        keywords=folded_texts(words),
        taken=next(
            filter(None, (moment(details.get(tag)) for tag in (Base.DateTimeOriginal, Base.DateTimeDigitized))), ""
        ),
        coordinates=sound(lambda: _coordinates(places), ""),
        camera=model if model.casefold().startswith(maker.casefold()) else f"{maker} {model}".strip(),
    )


def _latin(value: object) -> str:
    """Returns an EXIF text, decoded again: Pillow decodes all texts as Latin-1, but most programs write UTF-8."""
    text = value if isinstance(value, str) else ""
    return folded_text(sound(lambda: text.encode("latin-1").decode("utf-8"), text).replace("\0", " "))


def _wide(exif: Image.Exif, *tags: int) -> Iterator[str]:
    """Yields the non-empty texts that Windows writes in UTF-16."""
    for tag in tags:
        value = exif.get(tag)
        data = bytes(value) if isinstance(value, bytes | tuple) else b""
        text = folded_text(data.decode("utf-16-le", "ignore").replace("\0", " "))
        if text:
            yield text


def _coordinates(places: dict[int, object]) -> str:
    latitude = _degrees(places.get(GPS.GPSLatitude), 90)
    longitude = _degrees(places.get(GPS.GPSLongitude), 180)
    if not latitude and not longitude:
        return ""  # cameras without a signal write zeros
    south = str(places.get(GPS.GPSLatitudeRef, "N")).strip("\0 ")[:1].upper() == "S"
    west = str(places.get(GPS.GPSLongitudeRef, "E")).strip("\0 ")[:1].upper() == "W"
    return f"{latitude:.4f}° {'S' if south else 'N'}, {longitude:.4f}° {'W' if west else 'E'}"


def _degrees(value: object, most: float) -> float:
    """Returns degrees, minutes and seconds as degrees.

    Raises:
        ValueError: they are out of range.
    """
    if not isinstance(value, tuple) or len(value) != 3:
        raise ValueError("no degrees, minutes and seconds")
    degrees = sum(float(part) / divisor for part, divisor in zip(value, (1, 60, 3600), strict=True))
    if not (math.isfinite(degrees) and 0 <= degrees <= most):
        raise ValueError("no degrees of the Earth")
    return degrees
