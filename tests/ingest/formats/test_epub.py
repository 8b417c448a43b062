"""Electronic books: chapters in reading order, title and author, pages that are not quite XHTML."""

from __future__ import annotations

import io
import zipfile

import pytest
from ingest.formats.known_text import DOCUMENTS, extracted

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.extract import ExtractedDocument
from noderag_local.ingest.formats.markup.epub import EXTRACTOR

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Press</dc:title>
<dc:creator>Käthe Ohlenbusch</dc:creator></metadata><manifest>
<item id="two" href="two.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="a%20b/one.xhtml" media-type="application/xhtml+xml"/>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
<spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/></spine></package>"""


def book(one: str = "<p>First.</p>", two: str = "<p>Second.</p>", **members: str) -> ExtractedDocument:
    file = io.BytesIO()
    page = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">{}</html>'
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OPS/book.opf", PACKAGE)
        archive.writestr("OPS/a b/one.xhtml", page.format(f"<head><title/></head><body>{one}</body>"))
        archive.writestr("OPS/two.xhtml", page.format(f"<body>{two}</body>"))
        archive.writestr("OPS/nav.xhtml", page.format("<body><a href='two.xhtml'>Contents</a></body>"))
        for name, text in members.items():
            archive.writestr(name, text)
    (document,) = EXTRACTOR.read(file, "a.epub")
    return document


def test_chapters_come_in_the_order_of_reading() -> None:
    assert [(block.text, block.place) for block in book().blocks] == [
        ("The Press, by Käthe Ohlenbusch", "title page"),
        ("First.", "chapter 1"),
        ("Second.", "chapter 2"),
    ]


def test_a_title_page_is_no_chapter() -> None:
    places = {block.text[:14]: block.place for block in extracted(DOCUMENTS / "known-pandoc.epub").blocks}
    assert places["Mara Feldhusen"] == "title page"
    assert places["Work through t"] == "chapter 2"


def test_elements_that_are_closed_at_once_do_not_swallow_the_page() -> None:
    texts = [block.text for block in book("<h2><a id='x'/>The yard</h2><p>One<br/>two&nbsp;three<i/>.</p>").blocks]
    assert texts[1:3] == ["The yard", "One two three."]


def test_a_chapter_that_is_missing_is_named() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OPS/book.opf", PACKAGE)
    (document,) = EXTRACTOR.read(file, "a.epub")
    assert document.notices == ("chapter 1 is missing in the file", "chapter 1 is missing in the file")


def test_a_book_that_its_publisher_locked_says_so() -> None:
    locks = '<encryption><EncryptedData><EncryptionMethod Algorithm="aes"/></EncryptedData></encryption>'
    with pytest.raises(DocumentError, match="locked by its publisher"):
        book(**{"META-INF/encryption.xml": locks})


def test_scrambled_fonts_lock_nothing() -> None:
    locks = '<e><EncryptedData><m Algorithm="http://www.idpf.org/2008/embedding"/></EncryptedData></e>'
    assert book(**{"META-INF/encryption.xml": locks}).title == "The Press"
