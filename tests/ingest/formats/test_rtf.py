"""Rich Text: code pages, characters beyond them, structure, and files that are broken."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ingest.formats.known_text import DOCUMENTS, extracted

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.extract import ExtractedDocument
from noderag_local.ingest.formats.markup.rtf import EXTRACTOR


def read(body: bytes) -> ExtractedDocument:
    (document,) = EXTRACTOR.read(io.BytesIO(rb"{\rtf1\ansi\ansicpg1252 " + body + b"}"), "a.rtf")
    return document


def texts(body: bytes) -> list[str]:
    return [block.text for block in read(body).blocks]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"K\'e4the", "Käthe"),
        (rb"{\fonttbl{\f1\fcharset204 Arial;}}{\f1 \'cc\'ee\'f1\'ea\'e2\'e0}", "Москва"),
        (rb"{\fonttbl{\f1\fcharset128 Mincho;}}{\f1 \'8dA\'97\'d1}", b"\x8dA\x97\xd1".decode("cp932")),
        (rb"\uc1\u228?", "ä"),
        (rb"\uc2\u21488 ab\uc0\u28207", "台港"),
        (rb"\u-10179?\u-8704?", "😀"),
        (rb"\'93yes\'94 \ldblquote no\rdblquote", "“yes” “no”"),
        (rb"a\~b\_c\{d\}", "a b-c{d}"),
        ("ä".encode("cp1252"), "ä"),
    ],
)
def test_letters_of_every_kind(body: bytes, text: str) -> None:
    assert texts(body + rb"\par") == [text]


def test_headings_lists_and_tables() -> None:
    document = read(
        rb"{\stylesheet{\s1\outlinelevel1 Heading;}}\pard\outlinelevel0 The yard\par"
        rb"\pard\s1 Gate\par\pard\ls1{\listtext\bullet\tab}An oak\par"
        rb"\pard\intbl Name\cell Trees\cell\row\pard\intbl Anneke\cell 44\cell\row\pard Done.\par"
    )
    assert [(block.kind, block.text, block.headings) for block in document.blocks] == [
        (BlockKind.HEADING, "The yard", ()),
        (BlockKind.HEADING, "Gate", ()),
        (BlockKind.LIST_ITEM, "An oak", ("Gate",)),
        (BlockKind.TABLE_ROW, "Name: Anneke; Trees: 44", ("Gate",)),
        (BlockKind.PARAGRAPH, "Done.", ("Gate",)),
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_backslash_at_the_end_of_a_line_ends_the_paragraph(end: bytes) -> None:
    body = b"Buy milk\\EndCall Anna\\End\\EndSecond paragraph".replace(b"End", end)
    assert texts(body) == ["Buy milk", "Call Anna", "Second paragraph"]


def test_a_footnote_follows_its_paragraph() -> None:
    for name in ("known-pandoc.rtf", "known-libreoffice.rtf"):
        said = [block.text for block in extracted(DOCUMENTS / name).blocks]
        note = said.index("The broken bottles were paid for by the brewery in Rinteln.")
        assert said[note - 1].endswith("in one night.")


def test_what_nobody_sees_is_left_out() -> None:
    hidden = rb"{\pict\bin4 {}{}ffd8}{\*\unknown x}{\v secret}{\header Page}{\info{\author Jonas}}{\field{\*\fldinst LINK}{\fldrslt here}}"
    assert texts(hidden + rb"\par") == ["here"]


def test_the_title_comes_from_the_properties() -> None:
    assert read(rb"{\info{\title The yard}}text\par").title == "The yard"


def test_what_is_no_rtf_says_so() -> None:
    with pytest.raises(DocumentError, match="no Rich Text file"):
        list(EXTRACTOR.read(io.BytesIO(b"Dear Jonas"), "a.rtf"))


def test_endless_groups_are_refused() -> None:
    with pytest.raises(DocumentError, match="opens more than"):
        read(b"{" * 20_000)


@given(st.binary(max_size=200))
def test_any_bytes_are_read(body: bytes) -> None:
    assert all(block.text for block in read(body).blocks)


@pytest.mark.parametrize("seed", range(5))
def test_a_damaged_file_is_read_in_part(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray((DOCUMENTS / "known-libreoffice.rtf").read_bytes())
    for _ in range(60):
        data[chance.randrange(6, len(data))] = chance.randrange(256)
    (document,) = EXTRACTOR.read(io.BytesIO(bytes(data)), "a.rtf")
    assert all(block.text for block in document.blocks)
