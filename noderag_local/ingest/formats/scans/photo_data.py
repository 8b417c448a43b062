"""Collects the metadata of a picture: words that a person wrote, and when, where and with what camera it was taken.

The words are title, description, keywords and names of people. Without words the picture makes no document, because a folder of
photos would fill the vault with dates.
"""

from __future__ import annotations

import re

from PIL import ImageFile

from noderag_local.ingest.formats.block_writer import own_title
from noderag_local.ingest.formats.scans.damaged_metadata import sound
from noderag_local.ingest.formats.scans.photo_exif import exif_data
from noderag_local.ingest.formats.scans.photo_iptc import iptc_data
from noderag_local.ingest.formats.scans.photo_record import PhotoData
from noderag_local.ingest.formats.scans.photo_xmp import xmp_data

MAX_KEYWORDS = 200
_BY_CAMERAS = re.compile(
    r".*\b(?:digital (?:still )?camera|camera pictures|exif_jpeg_picture)\b.*|sony dsc|dcim\b.*|default|screenshot"
    r"|(?:created|processed|edited|scanned) (?:with|by|using) .*"
    r"|cof|dav|edf|fbt|hdr|hdrpl|mde|nor|oznor\w*|ptr\w*|rbt|rhdr|rpt|sdr|srgb|tpc|vsc|burst",
    re.IGNORECASE,
)
"""Descriptions that cameras and programs write automatically."""


def photo_data(picture: ImageFile.ImageFile, name: str) -> PhotoData:
    """Returns the metadata of an opened picture; damaged metadata are left out.

    Args:
        picture: picture from `opened_picture`, before its pixels are read.
        name: name of its file without folder; a title that repeats it is left out.
    """
    exif = sound(lambda: exif_data(picture), PhotoData())
    iptc = sound(lambda: iptc_data(picture), PhotoData())
    xmp = sound(lambda: xmp_data(picture), PhotoData())
    found = (xmp, iptc, exif)
    title = next((one.title for one in found if own_title(one.title, name)), "")
    said = (one.description for one in found)
    description = next((text for text in said if text and not _BY_CAMERAS.fullmatch(text)), "")
    return PhotoData(
        title,
        "" if description == title else description,
        keywords=tuple(dict.fromkeys(word for one in found for word in one.keywords))[:MAX_KEYWORDS],
        people=xmp.people,
        taken=next((one.taken for one in (exif, xmp, iptc) if one.taken), ""),
        place_names=next((one.place_names for one in found if one.place_names), ()),
        coordinates=exif.coordinates,
        camera=exif.camera,
    )
