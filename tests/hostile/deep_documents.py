"""Documents of as many elements as one likes, one inside the other or one after the other, in every format; and mailboxes.

Each has a sentence where the nesting ends, or after the last element: it tells whether all of the document was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ingest.formats.bombs import OFFICE, TABLE, TEXT, A, P, S, W, docx, epub, odt, opendocument, pptx, unpacked, xlsx

SENTENCE = "Vera keeps the key."

Maker = Callable[[int], bytes]
"""Number of elements → the file."""


def _nested(opening: str, closing: str, inner: str = SENTENCE) -> Callable[[int], str]:
    return lambda count: opening * count + inner + closing * count


def _flat(element: str) -> Callable[[int], str]:
    return lambda count: element * count


def _html(body: Callable[[int], str]) -> Maker:
    return lambda count: f"<html><body>{body(count)}<p>{SENTENCE}</p></body></html>".encode()


def _epub(body: Callable[[int], str]) -> Maker:
    return lambda count: unpacked(epub(f"<html><body>{body(count)}<p>{SENTENCE}</p></body></html>"))


_PARAGRAPH = f"<w:p><w:r><w:t>{SENTENCE}</w:t></w:r></w:p>"


def _docx(body: Callable[[int], str]) -> Maker:
    return lambda count: unpacked(
        docx(f'<w:document xmlns:w="{W}"><w:body>{body(count)}{_PARAGRAPH}</w:body></w:document>')
    )


def _odt(body: Callable[[int], str]) -> Maker:
    spaces = f'xmlns:office="{OFFICE}" xmlns:text="{TEXT}" xmlns:table="{TABLE}"'
    return lambda count: unpacked(
        odt(
            f"<office:document-content {spaces}><office:body><office:text>{body(count)}<text:p>{SENTENCE}</text:p>"
            "</office:text></office:body></office:document-content>"
        )
    )


def _xlsx(rows: Callable[[int], str]) -> Maker:
    last = f'<row><c t="inlineStr"><is><t>{SENTENCE}</t></is></c></row>'
    return lambda count: unpacked(
        xlsx(f'<worksheet xmlns="{S}"><sheetData>{rows(count)}{last}</sheetData></worksheet>')
    )


def _shape(text: str) -> str:
    named = '<p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
    return f"<p:sp>{named}<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"


def _pptx(shapes: Callable[[int], str]) -> Maker:
    text = _shape(SENTENCE)
    head = f'<p:sld xmlns:p="{P}" xmlns:a="{A}"><p:cSld><p:spTree>'
    return lambda count: unpacked(pptx(f"{head}{shapes(count)}{text}</p:spTree></p:cSld></p:sld>"))


def _ods(rows: Callable[[int], str]) -> Maker:
    last = f"<table:table-row>{_ODS_CELL.format(SENTENCE)}</table:table-row>"
    return lambda count: unpacked(opendocument("spreadsheet", f"<table:table>{rows(count)}{last}</table:table>"))


def _odp(shapes: Callable[[int], str]) -> Maker:
    last = f"<draw:frame><draw:text-box><text:p>{SENTENCE}</text:p></draw:text-box></draw:frame>"
    return lambda count: unpacked(opendocument("presentation", f"<draw:page>{shapes(count)}{last}</draw:page>"))


def _plain(text: Callable[[int], str]) -> Maker:
    return lambda count: f"{text(count)}\n\n{SENTENCE}\n".encode()


_ODS_CELL = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
_CELL = '<c t="inlineStr"><is><t>x</t></is></c>'

DOCUMENTS: dict[str, Maker] = {
    "divisions.html": _html(_nested("<div>", "</div>")),
    "lists.html": _html(_nested("<ul><li>", "</li></ul>")),
    "tables.html": _html(_nested("<table><tr><td>", "</td></tr></table>")),
    "quotes.html": _html(_nested("<blockquote>", "</blockquote>")),
    "spans.html": _html(_nested("<span>", "</span>")),
    "paragraphs.html": _html(_flat("<p>x")),
    "divisions.epub": _epub(_nested("<div>", "</div>")),
    "paragraphs.epub": _epub(_flat("<p>x</p>")),
    "tables.docx": _docx(_nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", _PARAGRAPH)),
    "controls.docx": _docx(_nested("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>", _PARAGRAPH)),
    "unknown.docx": _docx(_nested("<w:x>", "</w:x>", _PARAGRAPH)),
    "paragraphs.docx": _docx(_flat("<w:p><w:r><w:t>x</w:t></w:r></w:p>")),
    "sections.odt": _odt(_nested("<text:section>", "</text:section>", f"<text:p>{SENTENCE}</text:p>")),
    "lists.odt": _odt(_nested("<text:list><text:list-item>", "</text:list-item></text:list>")),
    "spans.odt": _odt(lambda count: f"<text:p>{_nested('<text:span>', '</text:span>')(count)}</text:p>"),
    "paragraphs.odt": _odt(_flat("<text:p>x</text:p>")),
    "unknown.xlsx": _xlsx(_nested("<x>", "</x>", "")),
    "rows.xlsx": _xlsx(_flat(f"<row>{_CELL}</row>")),
    "cells.xlsx": _xlsx(lambda count: f"<row>{_CELL * count}</row>"),
    "rows.ods": _ods(_flat(f"<table:table-row>{_ODS_CELL.format('x')}</table:table-row>")),
    "cells.ods": _ods(lambda count: f"<table:table-row>{_ODS_CELL.format('x') * count}</table:table-row>"),
    "row-groups.ods": _ods(_nested("<table:table-row-group>", "</table:table-row-group>", "")),
    "groups.odp": _odp(_nested("<draw:g>", "</draw:g>", "")),
    "shapes.odp": _odp(_flat("<draw:custom-shape><text:p>x</text:p></draw:custom-shape>")),
    "groups.pptx": _pptx(_nested("<p:grpSp>", "</p:grpSp>", "")),
    "shapes.pptx": _pptx(_flat(_shape("x"))),
    "lists.ipynb": lambda count: b'{"cells": ' + b"[" * count + b"]" * count + b"}",
    "objects.ipynb": lambda count: b'{"a":' * count + b"1" + b"}" * count,
    "cells.ipynb": lambda count: b'{"cells": [%s]}' % b",".join([b'{"cell_type":"markdown","source":"x"}'] * count),
    "lists.canvas": lambda count: b'{"nodes": ' + b"[" * count + b"]" * count + b"}",
    "cards.canvas": lambda count: b'{"nodes": [%s]}' % b",".join([b'{"type":"text","text":"x"}'] * count),
    "folders.bookmarks.html": _plain(_nested("<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>x</H3>", "</DL>")),
    "lists.jsonl": lambda count: b'{"text": "x", "a": ' + b"[" * count + b"]" * count + b"}\n",
    "objects.jsonl": lambda count: b'{"a":' * count + b"1" + b"}" * count + b"\n",
    "groups.rtf": lambda count: b"{\\rtf1 " + b"{" * count + SENTENCE.encode() + b"}" * count + b"}",
    "paragraphs.rtf": lambda count: b"{\\rtf1 " + b"x\\par " * count + SENTENCE.encode() + b"}",
    "headings.org": _plain(_flat("* x\n")),
    "stars.org": _plain(_flat("*")),
    "blocks.org": _plain(_nested("#+begin_quote\n", "\n#+end_quote")),
    "braces.tex": _plain(_nested("{", "}")),
    "lists.tex": _plain(_nested("\\begin{itemize}\\item ", "\\end{itemize}")),
    "commands.tex": _plain(_nested("\\emph{", "}")),
    "braces.bib": _plain(lambda count: f"@book{{k, title = {_nested('{', '}')(count)}}}"),
    "entries.bib": _plain(_flat("@book{k, title = {x}}\n")),
    "people.ris": _plain(lambda count: "TY  - BOOK\n" + "AU  - A, B\n" * count + f"T1  - {SENTENCE}\nER  - "),
    "sections.tex": _plain(_flat("\\section{x}\n")),
    "titles.rst": _plain(_flat("x\n=\n\n")),
    "roles.rst": _plain(_nested(":sup:`", "`")),
    "parts.eml": lambda count: (
        b"Subject: x\n" + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" * count + SENTENCE.encode()
    ),
    "letters.eml": lambda count: b"Content-Type: message/rfc822\n\n" * count + SENTENCE.encode(),
    "events.ics": lambda count: b"BEGIN:VCALENDAR\n" + b"BEGIN:VEVENT\n" * count,
    "cues.vtt": lambda count: (
        b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + b"<c>" * count + SENTENCE.encode() + b"</c>" * count
    ),
    "columns.csv": lambda count: b",".join([b"c"] * count) + b"\n" + b"1," * count + SENTENCE.encode(),
    "brackets.py": lambda count: b"x = " + b"(" * count + b")" * count,
    "braces.js": lambda count: b"function f() {" * count + b"}" * count,
    "quotes.md": _plain(_nested("> ", "")),
    "items.md": _plain(_nested("- ", "")),
    "stars.md": _plain(_nested("*", "*")),
    "brackets.md": _plain(_nested("[", "]")),
    "headings.md": _plain(_flat("# x\n")),
}


def letters(count: int) -> Iterator[bytes]:
    """Of a mailbox, the last of them with the sentence."""
    for number in range(count):
        said = SENTENCE if number == count - 1 else f"Letter {number} says that apples are ripe."
        yield b"From a@b.example Thu Jan  1 00:00:00 2026\nFrom: a@b.example\nSubject: Letter %d\n\n%s\n\n" % (
            number,
            said.encode(),
        )


def write_mailbox(path: Path, count: int) -> None:
    with path.open("xb") as file:
        file.writelines(letters(count))
