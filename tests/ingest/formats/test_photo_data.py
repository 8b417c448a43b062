"""What the file of a photo says of it: words of a person make a document, and date, place and camera stand with them."""

from __future__ import annotations

import io
import struct
from typing import Any

import pytest
from ingest.formats.reading import document, texts
from PIL import Image, PngImagePlugin
from PIL.ExifTags import GPS, IFD, Base

from noderag_local.ingest.chunks.scan_notes import WHOLE_FILE
from noderag_local.ingest.formats.extract import ExtractedDocument

XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
 xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
 xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/" photoshop:City="Lisbon" photoshop:Country="Portugal">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">The yellow tram</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">Mira gets off the tram of line 28.</rdf:li></rdf:Alt></dc:description>
<dc:subject><rdf:Bag><rdf:li>travel</rdf:li><rdf:li>tram</rdf:li></rdf:Bag></dc:subject>
<Iptc4xmpExt:PersonInImage><rdf:Bag><rdf:li>Mira Keller</rdf:li></rdf:Bag></Iptc4xmpExt:PersonInImage>
<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList><rdf:Bag>
<rdf:li><rdf:Description mwg-rs:Name="Jonas Brandt" mwg-rs:Type="Face"/></rdf:li>
<rdf:li rdf:parseType="Resource"><mwg-rs:Name>The sharp part</mwg-rs:Name><mwg-rs:Type>Focus</mwg-rs:Type></rdf:li>
</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""
SAID = [
    "Mira gets off the tram of line 28.",
    "People: Mira Keller, Jonas Brandt.",
    "Keywords: travel, tram.",
    "Photo taken on 2024-05-03 14:30 in Lisbon, Portugal at 38.7223° N, 9.1393° W with Canon EOS R6.",
]
LISBON = {
    GPS.GPSLatitudeRef: "N",
    GPS.GPSLatitude: (38.0, 43.0, 20.28),
    GPS.GPSLongitudeRef: "W",
    GPS.GPSLongitude: (9.0, 8.0, 21.48),
}


def exif(places: dict[Any, Any] | None = None, moment: str = "2024:05:03 14:30:11", **fields: Any) -> Image.Exif:
    made = Image.Exif()
    made[Base.Make], made[Base.Model] = "Canon", "Canon EOS R6"
    for name, value in fields.items():
        made[Base[name]] = value
    made.get_ifd(IFD.Exif)[Base.DateTimeOriginal] = moment
    made.get_ifd(IFD.GPSInfo).update(LISBON if places is None else places)
    return made


def photo(kind: str, xmp: str = "", data: Image.Exif | None = None) -> bytes:
    out, picture = io.BytesIO(), Image.new("RGB", (64, 48), "red")
    given: dict[str, Any] = {"exif": data or exif()}
    if kind == "PNG":
        given["pnginfo"] = PngImagePlugin.PngInfo()
        if xmp:
            given["pnginfo"].add_itxt("XML:com.adobe.xmp", xmp)
    elif kind == "TIFF":
        given["exif"][700] = xmp.encode()
        for directory in (IFD.Exif, IFD.GPSInfo):
            given["exif"][directory] = given["exif"].get_ifd(directory)
    elif xmp:
        given["xmp"] = xmp.encode()
    picture.save(out, kind, **given)
    return out.getvalue()


def with_iptc(jpeg: bytes, *records: tuple[int, bytes]) -> bytes:
    """The photo with records of IPTC, in the segment that Photoshop writes."""
    body = b"".join(b"\x1c\x02" + bytes([number]) + struct.pack(">H", len(text)) + text for number, text in records)
    block = b"Photoshop 3.0\x008BIM\x04\x04\x00\x00" + struct.pack(">I", len(body)) + body + bytes(len(body) % 2)
    return jpeg[:2] + b"\xff\xed" + struct.pack(">H", len(block) + 2) + block + jpeg[2:]


def read(data: bytes, name: str = "IMG_0017.jpg") -> ExtractedDocument:
    return document("picture", data, name)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_what_a_person_wrote_is_read_with_date_place_and_camera(kind: str) -> None:
    found = read(photo(kind, XMP))
    assert found.title == "The yellow tram"
    assert texts(found) == SAID
    assert found.day == "2024-05-03"
    assert found.blocks[2].tags == ("travel", "tram")
    assert found.scanned_pages == (WHOLE_FILE,)


def test_a_photo_that_nobody_wrote_about_makes_no_document() -> None:
    assert read(photo("JPEG")).blocks == ()


def test_iptc_of_older_programs_is_read() -> None:
    records = [
        (5, b"Harvest"),
        (120, "Äpfel im Garten".encode()),
        (25, b"apples"),
        (25, "späte".encode("cp1252")),
        (90, b"Rinteln"),
    ]
    found = read(with_iptc(photo("JPEG", data=exif(moment="")), *records, (55, b"20231004")))
    assert found.title == "Harvest"
    assert texts(found) == [
        "Äpfel im Garten",
        "Keywords: apples, späte.",
        "Photo taken on 2023-10-04 in Rinteln at 38.7223° N, 9.1393° W with Canon EOS R6.",
    ]


def test_words_in_exif_are_read_and_those_of_cameras_are_not() -> None:
    said = exif(ImageDescription="Gerda before the oven")
    said[0x9C9E] = "bread;oven".encode("utf-16-le") + b"\0\0"
    assert texts(read(photo("JPEG", data=said)))[:2] == ["Gerda before the oven", "Keywords: bread, oven."]
    for filler in (
        "OLYMPUS DIGITAL CAMERA",
        "SONY DSC",
        "cof",
        "Created with GIMP",
        "   ",
        "DCIM\\100MEDIA\\DJI_0001.JPG",
    ):
        assert texts(read(photo("JPEG", data=exif(ImageDescription=filler)))) == []


def test_umlauts_in_exif_are_read_as_programs_write_them() -> None:
    for written in ("Bäckerei in Köln".encode(), "Bäckerei in Köln".encode("latin-1")):
        placeholder = "x" * len(written)
        data = photo("JPEG", data=exif(ImageDescription=placeholder)).replace(placeholder.encode(), written)
        assert texts(read(data))[0] == "Bäckerei in Köln"


def test_a_description_that_the_camera_filled_in_gives_way_to_one_of_a_person() -> None:
    records = (120, b"The oven of Gerda")
    copied = XMP.replace("Mira gets off the tram of line 28.", "OLYMPUS DIGITAL CAMERA")
    assert texts(read(with_iptc(photo("JPEG", copied), records)))[0] == "The oven of Gerda"


@pytest.mark.parametrize(
    "places",
    [
        {},
        {**LISBON, GPS.GPSLatitude: (0.0, 0.0, 0.0), GPS.GPSLongitude: (0.0, 0.0, 0.0)},
        {**LISBON, GPS.GPSLatitude: (95.0, 0.0, 0.0)},
        {**LISBON, GPS.GPSLatitude: (38.0, 43.0)},
    ],
)
def test_coordinates_that_are_no_place_are_left_out(places: dict[Any, Any]) -> None:
    assert texts(read(photo("JPEG", XMP, exif(places))))[-1] == (
        "Photo taken on 2024-05-03 14:30 in Lisbon, Portugal with Canon EOS R6."
    )


@pytest.mark.parametrize("moment", ["0000:00:00 00:00:00", "    :  :     :  :  ", "yesterday", "2024:13:01 10:00:00"])
def test_a_moment_that_is_none_is_left_out(moment: str) -> None:
    assert texts(read(photo("JPEG", XMP, exif(moment=moment))))[-1].startswith("Photo taken in Lisbon")


def test_a_title_that_is_the_name_of_the_file_is_none() -> None:
    named = XMP.replace("The yellow tram", "IMG_0017")
    assert read(photo("JPEG", named)).title == ""


@pytest.mark.parametrize(
    "xmp",
    [
        "<x:xmpmeta",
        '<!DOCTYPE r [<!ENTITY a "b">]><r xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>&a;</dc:title></r>',
        "<a>" * 50_000,
        "\0" * 1000,
    ],
)
def test_damaged_data_cost_themselves(xmp: str) -> None:
    assert read(photo("WEBP", xmp)).blocks == ()
    assert read(with_iptc(photo("JPEG", xmp[:60_000]), (5, b"Harvest"))).title == "Harvest"
