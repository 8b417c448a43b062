"""Reads the metadata that photo programs write into a picture as XML (XMP): title, description, keywords, people, place names."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from PIL import ImageFile

from noderag_local.ingest.formats.scans.photo_record import PhotoData, folded_texts, moment
from noderag_local.ingest.formats.untrusted_xml import xml_tree

MAX_XMP_BYTES = 4 << 20

_RDF_ITEM = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}li"
_DC, _PHOTOSHOP, _CORE, _EXTENSION, _REGIONS, _MICROSOFT, _EXIF = (
    f"{{{address}}}"
    for address in (
        "http://purl.org/dc/elements/1.1/",
        "http://ns.adobe.com/photoshop/1.0/",
        "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/",
        "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
        "http://www.metadataworkinggroup.com/schemas/regions/",
        "http://ns.microsoft.com/photo/1.2/t/Region#",
        "http://ns.adobe.com/exif/1.0/",
    )
)


def xmp_data(picture: ImageFile.ImageFile) -> PhotoData:
    """Returns the XMP metadata of an opened picture.

    Raises:
        Exception: one of `damaged_metadata.BROKEN` if they are damaged.
    """
    packet = picture.info.get("xmp") or picture.info.get("XML:com.adobe.xmp") or b""
    data = packet.encode("utf-8") if isinstance(packet, str) else packet
    if not data or len(data) > MAX_XMP_BYTES:
        return PhotoData()
    tree = xml_tree(data.strip(b"\0 \r\n\t"), "XMP")

    def text(*names: str) -> str:
        return next((value for name in names for value in _values(tree, name)), "")

    people = _values(tree, f"{_EXTENSION}PersonInImage", f"{_MICROSOFT}PersonDisplayName")
    places = (f"{_CORE}Location", f"{_PHOTOSHOP}City", f"{_PHOTOSHOP}State", f"{_PHOTOSHOP}Country")
    return PhotoData(
        title=text(f"{_DC}title", f"{_PHOTOSHOP}Headline"),
        description=text(f"{_DC}description"),
        keywords=_values(tree, f"{_DC}subject"),
        people=tuple(dict.fromkeys((*people, *_faces(tree)))),
        taken=moment(text(f"{_EXIF}DateTimeOriginal", f"{_PHOTOSHOP}DateCreated")),
        place_names=folded_texts(map(text, places)),
    )


def _values(tree: Element, *names: str) -> tuple[str, ...]:
    """Returns the values of properties; XMP writes a property as an element with text, as a list, or as an attribute."""
    found: list[str] = []
    for element in tree.iter():
        found += (element.attrib[name] for name in names if name in element.attrib)
        if element.tag in names:
            items = [item.text or "" for item in element.iter(_RDF_ITEM)]
            found += items or [element.text or ""]
    return folded_texts(found)


def _faces(tree: Element) -> tuple[str, ...]:
    """Returns the names of people whose faces are marked."""
    names: list[str] = []
    for element in tree.iter():
        kinds = _own_values(element, f"{_REGIONS}Type")
        if not kinds or kinds == ["Face"]:
            names += _own_values(element, f"{_REGIONS}Name")
    return folded_texts(names)


def _own_values(element: Element, name: str) -> list[str]:
    """Returns the values of a property of one element."""
    return [value for value in (element.get(name), *(child.text for child in element if child.tag == name)) if value]
