"""Reads the metadata that photo programs write into a picture as press agencies do (IPTC): title, description, keywords, place names."""

from __future__ import annotations

from PIL import ImageFile, IptcImagePlugin

from noderag_local.ingest.formats.scans.photo_record import PhotoData, folded_texts, moment

_FIELDS = {
    "title": 5,
    "keywords": 25,
    "day": 55,
    "city": 90,
    "location": 92,
    "state": 95,
    "country": 101,
    "description": 120,
}
"""Name of a field → its number in the second record of IPTC."""


def iptc_data(picture: ImageFile.ImageFile) -> PhotoData:
    """Returns the IPTC metadata of an opened picture.

    Raises:
        Exception: one of `damaged_metadata.BROKEN` if they are damaged.
    """
    found = IptcImagePlugin.getiptcinfo(picture) or {}

    def texts(name: str) -> tuple[str, ...]:
        value = found.get((2, _FIELDS[name]), b"")
        return folded_texts(_decoded(data) for data in (value if isinstance(value, list) else [value]))

    def text(name: str) -> str:
        return next(iter(texts(name)), "")

    return PhotoData(
        title=text("title"),
        description=text("description"),
        keywords=texts("keywords"),
        taken=moment(text("day")),
        place_names=folded_texts(map(text, ("location", "city", "state", "country"))),
    )


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
