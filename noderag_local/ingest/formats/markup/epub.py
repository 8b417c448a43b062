"""Electronic books (.epub): chapters in reading order, headings, lists, tables as statements. The place is "chapter 3".

Chapters are counted as a person turns them: files of the book that hold text, without its title page and its list of
contents.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, own_title
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import decoded
from noderag_local.ingest.formats.markup.html import write_mail_body
from noderag_local.ingest.formats.markup.xhtml import as_html
from noderag_local.ingest.formats.zipped import Archive

_CONTAINER = "META-INF/container.xml"
_PAGE_TYPES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
_DC = "{http://purl.org/dc/elements/1.1/}"
_TITLE_PAGE = "title page"
_DECLARED = re.compile(rb"\s*<\?xml[^>]{0,200}encoding=[\"']([\w.:-]{2,40})[\"']")
_FONT_ALGORITHMS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
"""How publishers scramble fonts; the text of such a book can be read."""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    archive = Archive(file)
    _check_unlocked(archive)
    package_path = _package_path(archive)
    package = archive.xml(package_path)
    titles, authors = _texts(package, "title"), _texts(package, "creator")
    writer = BlockWriter()
    writer.title = own_title(titles[0], name) if titles else ""
    if authors and writer.title:
        writer.add(BlockKind.PARAGRAPH, f"{writer.title}, by {', '.join(authors)}", Whereabouts(_TITLE_PAGE))
    chapter = 1
    notices: list[str] = []
    for path in _spine(package, posixpath.dirname(package_path)):
        if path not in archive.names:
            notices.append(f"chapter {chapter} is missing in the file")
            continue
        before = len(writer.blocks)
        write_mail_body(_page(archive.read(path)), writer, without_quotes=False)
        added = writer.blocks[before:]
        is_title_page = all(block.text in (*titles, *authors) for block in added)
        place = _TITLE_PAGE if is_title_page else f"chapter {chapter}"
        writer.blocks[before:] = [replace(block, place=place) for block in added]
        chapter += not is_title_page
    yield ExtractedDocument(writer.title, tuple(writer.blocks), notices=tuple(notices))


def _page(data: bytes) -> str:
    declared = _DECLARED.match(data)
    text = decoded(data, declared[1].decode("ascii") if declared else "utf-8")
    return as_html(text)


def _check_unlocked(archive: Archive) -> None:
    if "META-INF/encryption.xml" not in archive.names:
        return
    locks = archive.read("META-INF/encryption.xml")
    methods = locks.count(b"EncryptedData>") // 2
    if methods and sum(locks.count(algorithm) for algorithm in _FONT_ALGORITHMS) < methods:
        raise DocumentError("it is locked by its publisher (DRM) and cannot be read")


def _package_path(archive: Archive) -> str:
    rootfile = next((node for node in archive.xml(_CONTAINER).iter() if _name(node) == "rootfile"), None)
    path = "" if rootfile is None else rootfile.get("full-path", "")
    if not path:
        raise DocumentError("it is damaged, or no EPUB: its container names no package")
    return posixpath.normpath(unquote(path))


def _texts(package: Element, name: str) -> list[str]:
    folded = [" ".join("".join(node.itertext()).split()) for node in package.iter(f"{_DC}{name}")]
    return list(dict.fromkeys(text for text in folded if text))


def _spine(package: Element, folder: str) -> Iterator[str]:
    """Names of the members with the pages of the book in reading order; the list of contents is not among them."""
    pages = {
        node.get("id", ""): posixpath.normpath(posixpath.join(folder, unquote(node.get("href", ""))))
        for node in package.iter()
        if _name(node) == "item"
        and node.get("media-type") in _PAGE_TYPES
        and "nav" not in node.get("properties", "").split()
    }
    references = [node.get("idref", "") for node in package.iter() if _name(node) == "itemref"]
    yield from dict.fromkeys(pages[reference] for reference in references if reference in pages)


def _name(node: Element) -> str:
    """Returns the name of an element without its namespace."""
    return node.tag.rpartition("}")[2]


EXTRACTOR = Extractor(_read)
