"""Files made to bring a reader down: small on disk, endless inside, or pointing at what is none of theirs.

Each is made by code, deterministic, and below 3 MB. `bombs()` gives (file name, bytes).
"""

from __future__ import annotations

import base64
import io
import json
import random
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator, Mapping

MEGABYTE = 1 << 20
SECRET = "/etc/passwd"
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    + "]>"
)
OUTSIDE = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a11 SYSTEM "file://{SECRET}">]>'
BLOW_UP = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a11 "{"A" * 100_000}">]>'
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
DRAW = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
RELATED = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DIRECTORY_ENTRY = b"PK\x01\x02"


def bombs() -> Iterator[tuple[str, bytes]]:
    """Fifty and more; the name tells the format by its suffix and what is wrong before it."""
    makers = (
        _packed,
        by_entities,
        _nested_markup,
        _tables,
        _mails,
        _pdfs,
        _texts,
        _opendocument,
        _libraries,
        _archives,
        _exports,
    )
    for maker in makers:
        yield from maker()


def zipped(members: Mapping[str, bytes]) -> bytes:
    """A zip file, packed as tightly as it goes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def unpacked(archive: bytes) -> bytes:
    """The same archive without compression: elements that are all the same pack so well that their size gives them away."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name))
    return out.getvalue()


def docx(document: str | bytes, **more: bytes) -> bytes:
    return zipped(
        {**_package("word/document.xml", "wordprocessingml.document"), "word/document.xml": _bytes(document), **more}
    )


def pptx(slide: str | bytes) -> bytes:
    presentation = f'<p:presentation xmlns:p="{P}" xmlns:r="{DOCUMENT}"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>'
    relation = f'<Relationships xmlns="{RELATED}"><Relationship Id="rId1" Type="{DOCUMENT}/slide" Target="slides/slide1.xml"/></Relationships>'
    package = _package("ppt/presentation.xml", "presentationml.presentation")
    of_slide = '<Override PartName="/ppt/slides/slide1.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.slide+xml"/>'
    types = package["[Content_Types].xml"].replace(b"</Types>", of_slide.encode() + b"</Types>")
    return zipped(
        {
            **package,
            "[Content_Types].xml": types,
            "ppt/presentation.xml": presentation.encode(),
            "ppt/_rels/presentation.xml.rels": relation.encode(),
            "ppt/slides/slide1.xml": _bytes(slide),
        }
    )


def xlsx(sheet: str | bytes, shared: str | bytes = "") -> bytes:
    workbook = f'<workbook xmlns="{S}" xmlns:r="{DOCUMENT}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>'
    relations = (
        f'<Relationships xmlns="{RELATED}"><Relationship Id="rId1" Type="{DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{DOCUMENT}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    )
    strings = shared or f'<sst xmlns="{S}"/>'
    return zipped(
        {
            **_package("xl/workbook.xml", "spreadsheetml.sheet"),
            "xl/workbook.xml": workbook.encode(),
            "xl/_rels/workbook.xml.rels": relations.encode(),
            "xl/worksheets/sheet1.xml": _bytes(sheet),
            "xl/sharedStrings.xml": _bytes(strings),
        }
    )


def odt(content: str | bytes, kind: str = "text") -> bytes:
    return zipped({"mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(), "content.xml": _bytes(content)})


def opendocument(kind: str, body: str, head: str = "") -> bytes:
    """An OpenDocument file of a kind: "text", "spreadsheet", "presentation"."""
    spaces = f'xmlns:office="{OFFICE}" xmlns:text="{TEXT}" xmlns:table="{TABLE}" xmlns:draw="{DRAW}"'
    inner = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    return odt(f"{head}<office:document-content {spaces}>{inner}</office:document-content>", kind)


def epub(chapter: str | bytes, **more: bytes) -> bytes:
    container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    package = '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>'
    return zipped(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": container.encode(),
            "b.opf": package.encode(),
            "c.xhtml": _bytes(chapter),
            **more,
        }
    )


def pdf(*objects: bytes) -> bytes:
    """Objects 1, 2 … with a right table of where they are; the first is the catalogue."""
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


def _packed() -> Iterator[tuple[str, bytes]]:
    run = b"<w:p><w:r><w:t>" + b"a" * 200 * MEGABYTE + b"</w:t></w:r></w:p>"
    words = b"<w:p><w:r><w:t>many words </w:t></w:r></w:p>" * 4_000_000
    for name, text in (("one-run-of-200-mb", run), ("4-million-paragraphs", words)):
        yield f"{name}.docx", docx(b'<w:document xmlns:w="%s"><w:body>%s</w:body></w:document>' % (W.encode(), text))
    del run, words
    lines = b"<text:p>many words </text:p>" * 4_000_000
    head = f'<office:document-content xmlns:office="{OFFICE}" xmlns:text="{TEXT}"><office:body><office:text>'.encode()
    yield "4-million-paragraphs.odt", odt(head + lines + b"</office:text></office:body></office:document-content>")
    spaces = b'<text:p>a<text:s text:c="2000000000"/>b</text:p>'
    yield (
        "two-thousand-million-spaces.odt",
        odt(head + spaces + b"</office:text></office:body></office:document-content>"),
    )
    yield "200-mb-of-nothing.epub", epub(b"<html><body><p>" + bytes(200 * MEGABYTE))
    yield "4-million-paragraphs.epub", epub(b"<html><body>" + b"<p>many words</p>" * 4_000_000)
    layer = zipped({"0": bytes(100 * MEGABYTE)})
    for depth in range(6):
        layer = zipped({f"{depth}-{number}.zip": layer for number in range(10)})
    for suffix in ("docx", "odt", "xlsx", "pptx", "epub"):
        yield f"zip-in-zip.{suffix}", layer
    yield "ten-thousand-members.docx", docx("<x/>", **{f"m{number}.xml": b"<x/>" for number in range(10_000)})
    yield "overlapping-members.docx", _overlapping(docx("<x/>"))
    yield "size-that-is-a-lie.docx", _lying(docx(b"<x>" + b"a" * 50 * MEGABYTE + b"</x>"))
    yield "names-that-climb.docx", docx("<x/>", **{"../../../../tmp/owned": b"x", "/etc/owned": b"x"})


def by_entities() -> Iterator[tuple[str, bytes]]:
    """XML with entities that grow without end, or that stand for a file of the machine."""
    for name, head, times in (("laughs", LAUGHS, 1), ("outside", OUTSIDE, 1), ("blown-up", BLOW_UP, 20_000)):
        said = "&a11;" * times
        yield (
            f"{name}.docx",
            docx(
                f'{head}<w:document xmlns:w="{W}"><w:body><w:p><w:r><w:t>{said}</w:t></w:r></w:p></w:body></w:document>'
            ),
        )
        yield (
            f"{name}.pptx",
            pptx(f'{head}<p:sld xmlns:p="{P}" xmlns:a="{A}"><a:p><a:r><a:t>{said}</a:t></a:r></a:p></p:sld>'),
        )
        yield (
            f"{name}.xlsx",
            xlsx(
                f'{head}<worksheet xmlns="{S}"><sheetData><row r="1"><c t="inlineStr"><is><t>{said}</t></is></c></row></sheetData></worksheet>'
            ),
        )
        yield (
            f"{name}-strings.xlsx",
            xlsx(
                f'<worksheet xmlns="{S}"><sheetData><row r="1"><c t="s"><v>0</v></c></row></sheetData></worksheet>',
                f'{head}<sst xmlns="{S}"><si><t>{said}</t></si></sst>',
            ),
        )
        yield (
            f"{name}.odt",
            odt(
                f'{head}<office:document-content xmlns:office="{OFFICE}" xmlns:text="{TEXT}"><office:body><office:text><text:p>{said}</text:p></office:text></office:body></office:document-content>'
            ),
        )
        cell = f"<table:table><table:table-row><table:table-cell><text:p>{said}</text:p></table:table-cell></table:table-row></table:table>"
        yield f"{name}.ods", opendocument("spreadsheet", cell, head)
        yield f"{name}.odp", opendocument("presentation", f"<draw:page><text:p>{said}</text:p></draw:page>", head)
        yield f"{name}.epub", epub(f"{head}<html><body><p>{said}</p></body></html>")
        yield (
            f"{name}.enex",
            f"{head}<en-export><note><title>x</title><content>{said}</content></note></en-export>".encode(),
        )
        yield f"{name}.xhtml", f"{head}<html><body><p>{said}</p></body></html>".encode()


def _nested_markup() -> Iterator[tuple[str, bytes]]:
    deep = 200_000
    yield "deep.html", b"<div>" * deep + b"text" + b"</div>" * deep
    yield "deep-lists.html", b"<ul><li>" * deep + b"text"
    yield "deep-tables.html", b"<table><tr><td>" * 50_000 + b"text"
    yield "attributes.html", b"<p " + b"".join(b"a%d=1 " % number for number in range(200_000)) + b">text"
    yield (
        "deep.docx",
        docx(f'<w:document xmlns:w="{W}"><w:body>' + "<w:p>" * deep + "</w:p>" * deep + "</w:body></w:document>"),
    )
    yield (
        "deep.odt",
        odt(
            f'<office:document-content xmlns:office="{OFFICE}" xmlns:text="{TEXT}"><office:body><office:text>'
            + "<text:list><text:list-item>" * deep
        ),
    )
    yield "deep.epub", epub("<div>" * deep + "text")
    yield "deep.rtf", b"{\\rtf1 " + b"{" * 1_000_000 + b"text" + b"}" * 1_000_000
    yield "numbers.rtf", b"{\\rtf1 \\u" + b"9" * 1_000_000 + b" \\bin99999999999 text}"
    yield "deep.ipynb", b'{"cells": ' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}"
    yield "output.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": ["x\n"] * 200_000}]}).encode()


def _tables() -> Iterator[tuple[str, bytes]]:
    far = f'<worksheet xmlns="{S}"><dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
    yield "one-cell-far-away.xlsx", xlsx(far)
    cells = "<row><c><v>1</v></c><c><v>2</v></c></row>" * 1_000_000
    yield "a-million-rows.xlsx", xlsx(f'<worksheet xmlns="{S}"><sheetData>{cells}</sheetData></worksheet>')
    yield "many-columns.csv", b",".join(b"c%d" % n for n in range(30_000)) + b"\n" + (b"1," * 30_000 + b"\n") * 20
    yield "one-open-quote.csv", b'a,b\n"' + b"text,\n" * 400_000
    yield "only-separators.tsv", b"\t" * 2 * MEGABYTE
    repeated = '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>'
    yield (
        "repeated-cells.odt",
        odt(
            f'<office:document-content xmlns:office="{OFFICE}" xmlns:text="{TEXT}" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0">'
            f"<office:body><office:text><table:table>{repeated}</table:table></office:text></office:body></office:document-content>"
        ),
    )


def _mails() -> Iterator[tuple[str, bytes]]:
    nested = b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(5_000))
    yield "endless-parts.eml", b"Subject: x\n" + nested + b"text"
    yield "mail-in-mail.eml", b"Subject: x\nContent-Type: message/rfc822\n\n" * 20_000 + b"text"
    yield "long-header.eml", b"Subject: " + b"=?utf-8?q?=41?= " * 100_000 + b"\n\ntext"
    yield "many-receivers.eml", b"To: " + b"a@b.c, " * 200_000 + b"\n\ntext"
    yield "coded.eml", b"Content-Transfer-Encoding: base64\n\n" + base64.b64encode(bytes(2 * MEGABYTE))
    yield "one-line.mbox", b"From a\n" * 300_000
    yield "quotes.eml", b"Subject: x\n\n" + b">" * MEGABYTE + b"\n" + b"> > " * 200_000


def _pdfs() -> Iterator[tuple[str, bytes]]:
    catalogue, pages = b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>"
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    again = b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length 14 >>\nstream\n/X Do /X Do /X\nendstream"
    shows = b"BT /F 9 Tf 1 0 0 1 9 9 Tm (many words) Tj ET "
    for name, content, filters in (
        ("unpacked-to-300-mb", zlib.compress(b" " * 300 * MEGABYTE, 9), b"/FlateDecode"),
        ("packed-twice", zlib.compress(zlib.compress(b" " * 300 * MEGABYTE, 9), 9), b"[/FlateDecode /FlateDecode]"),
        ("a-million-words", zlib.compress(shows * 1_000_000, 9), b"/FlateDecode"),
        ("forms-in-forms", b"/X Do", b"[]"),
    ):
        stream = b"<< /Length %d /Filter %s >>\nstream\n%s\nendstream" % (len(content), filters, content)
        yield f"{name}.pdf", pdf(catalogue, pages, page, stream, font, again)
    yield "pages-that-hold-themselves.pdf", pdf(catalogue, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>")
    yield (
        "a-hundred-thousand-pages.pdf",
        pdf(
            catalogue,
            b"<< /Type /Pages /Kids [" + b"3 0 R " * 100_000 + b"] /Count 100000 >>",
            page,
            b"<< /Length 0 >>\nstream\n\nendstream",
            font,
            again,
        ),
    )
    yield "deep-arrays.pdf", pdf(catalogue, b"[" * 500_000 + b"]" * 500_000)
    yield "outline-in-a-ring.pdf", pdf(
        b"<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>", pages, b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
        b"<< /First 5 0 R /Last 5 0 R /Count 1 >>", b"<< /Title (x) /Parent 4 0 R /Next 5 0 R /First 5 0 R >>",
    )  # fmt: skip


def _texts() -> Iterator[tuple[str, bytes]]:
    yield "stars.org", b"*" * MEGABYTE + b" x\n" + b"".join(b"*" * n + b" x\n" for n in range(1_500))
    yield "braces.tex", b"{" * 500_000 + b"text" + b"}" * 500_000
    yield "begins.tex", b"\\begin{itemize}\\item " * 50_000 + b"text"
    yield "defines-itself.tex", b"\\newcommand{\\a}{\\a\\a}\\a " * 1_000
    yield (
        "repeats.ics",
        b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:x\nDTSTART:19000101T000000\nRRULE:FREQ=SECONDLY;COUNT=2000000000\nEND:VEVENT\nEND:VCALENDAR\n",
    )
    yield "deep.ics", b"BEGIN:VCALENDAR\n" + b"BEGIN:VEVENT\n" * 200_000
    yield "numbers.srt", b"1\n00:00:01,000 --> 99999999999999999999:00:00,000\nx\n\n" * 30_000
    yield "tags.vtt", b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + b"<c." * 500_000


def _opendocument() -> Iterator[tuple[str, bytes]]:
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell * 64}</table:table-row>'
    filled = "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>"
    deep = "<table:table><table:table-row><table:table-cell>"
    for name, body in (
        ("repeated-cells", f"<table:table>{row * 200}</table:table>"),
        ("long-numbers", f'<table:table><table:table-row table:number-rows-repeated="{"9" * MEGABYTE}">{cell}</table:table-row></table:table>'),
        ("many-empty-rows", f"<table:table>{'<table:table-row/>' * 150_000}</table:table>"),
        ("many-rows", f"<table:table>{filled * 28_000}</table:table>"),
        ("many-sheets", f'<table:table table:name="a">{filled}</table:table>' * 20_000),
        ("deep", deep * 50_000),
    ):  # fmt: skip
        yield f"{name}.ods", unpacked(opendocument("spreadsheet", body))
    yield "packed-rows.ods", opendocument("spreadsheet", f"<table:table>{filled * 600_000}</table:table>")
    group = "<draw:g>" * 100_000 + "<text:p>x</text:p>" + "</draw:g>" * 100_000
    yield "deep.odp", unpacked(opendocument("presentation", f"<draw:page>{group}</draw:page>"))
    yield "many-slides.odp", unpacked(opendocument("presentation", "<draw:page/>" * 200_000))


def _libraries() -> Iterator[tuple[str, bytes]]:
    yield "braces.bib", b"@a{k, t = " + b"{" * 2 * MEGABYTE
    yield "entries.bib", b"@a{k, t = {\n" * 200_000
    yield "strings.bib", b'@string{a0 = "xxxxxxxxxx"}\n' + b"".join(
        b"@string{a%d = %s}\n" % (n, b" # ".join([b"a%d" % (n - 1)] * 10)) for n in range(1, 40)
    ) + b"@book{k, title = a39}\n"  # fmt: skip
    yield "commands.bib", b"@book{k, title = {" + b"\\emph{" * 5_000 + b"x" + b"}" * 5_000 + b"}}\n"
    yield "authors.bib", b"@book{k, author = {" + b"A and " * 400_000 + b"B}, title = {x}}\n"
    yield "one-reference.ris", b"TY  - JOUR\n" + b"AU  - A, B\n" * 200_000 + b"KW  - x\n" * 100_000
    yield "deep.canvas", b'{"nodes":' + b"[" * 1_000_000
    groups = [
        {"id": str(n), "type": "group", "label": f"g{n}", "x": -n, "y": -n, "width": 2 * n, "height": 2 * n}
        for n in range(20_000)
    ]
    yield "groups-in-groups.canvas", json.dumps({"nodes": groups}).encode()
    edges = [{"fromNode": "1", "toNode": "1", "label": "x"}] * 30_000
    yield (
        "one-card.canvas",
        json.dumps({"nodes": [{"id": "1", "type": "text", "text": "# " * 200_000}], "edges": edges}).encode(),
    )
    yield "folders.html", b"<!DOCTYPE NETSCAPE-Bookmark-file-1>" + b"<DL><p><DT><H3>x</H3>" * 100_000
    yield (
        "links.html",
        b"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>" + b'<DT><A HREF="http://a" ADD_DATE="9">x</A><DD>y' * 50_000,
    )
    yield "x/Bookmarks", b'{"roots":{"a":' + b'{"children":[' * 200_000
    for name, (lacking, statements) in _LIBRARY_BOMBS.items():
        yield f"{name}/zotero.sqlite", _database(lacking, statements)


_ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT"
_LIBRARY_BOMBS = {
    "query-without-end": ("itemDataValues", f"CREATE VIEW itemDataValues AS {_ENDLESS} n AS valueID, 'x' AS value FROM r"),
    "large-values": ("", "INSERT INTO itemDataValues VALUES (1, hex(zeroblob(1400000)))"),
    "loads-code": ("itemDataValues", "CREATE VIEW itemDataValues AS SELECT 1 AS valueID, load_extension('/tmp/owned.so') AS value"),
    "many-works": ("", f"INSERT INTO items {_ENDLESS} n + 1, 1, n, '', 1 FROM r LIMIT 60000"),
}  # fmt: skip
"""Name -> a table of Zotero that the library lacks, and statements."""
_LIBRARY_TABLES = {
    "items": "itemID INTEGER PRIMARY KEY, itemTypeID, key, dateAdded, libraryID",
    "itemTypes": "itemTypeID, typeName",
    "fields": "fieldID, fieldName",
    "itemData": "itemID, fieldID, valueID",
    "itemDataValues": "valueID, value",
    "itemNotes": "itemID, parentItemID, note, title",
    "itemAttachments": "itemID, parentItemID, linkMode, path",
    "tags": "tagID, name",
    "itemTags": "itemID, tagID",
    "creators": "creatorID, firstName, lastName",
    "creatorTypes": "creatorTypeID, creatorType",
    "itemCreators": "itemID, creatorID, creatorTypeID, orderIndex",
    "collectionItems": "collectionID, itemID",
}


def _database(lacking: str, statements: str) -> bytes:
    """A library of Zotero with a book, and what the statements make in it."""
    rows = sqlite3.connect(":memory:")
    for name, columns in _LIBRARY_TABLES.items():
        if name != lacking:
            rows.execute(f"CREATE TABLE {name} ({columns})")
    book = "INSERT INTO itemTypes VALUES (1, 'book'); INSERT INTO fields VALUES (1, 'title'); INSERT INTO itemData VALUES (1, 1, 1)"
    rows.executescript(f"INSERT INTO items VALUES (1, 1, 'K', '', 1); {book}; {statements}")
    return rows.serialize()


def _archives() -> Iterator[tuple[str, bytes]]:
    layer = zipped({"0.txt": bytes(100 * MEGABYTE)})
    for depth in range(6):
        layer = zipped({f"{depth}-{number}.zip": layer for number in range(10)})
    yield "zip-in-zip.zip", layer
    chance = random.Random(1)
    sparse = b"".join(bytes(chance.choices(b"abc ", k=700)) + b"\n" * 40_000 for _ in range(1_500))
    yield "three-times-61-mb.zip", zipped({"a.zip": zipped({f"{number}.txt": sparse for number in range(3)})})
    del sparse
    yield "thirty-thousand-files.zip", zipped({f"{number}.md": b"" for number in range(30_000)})
    yield (
        "names-that-climb.zip",
        zipped({"../../../../tmp/owned.txt": b"x", "/etc/owned.md": b"x", "..\\..\\c.txt": b"x"}),
    )
    yield "size-that-is-a-lie.zip", _lying(zipped({"a.txt": b"<x>" + b"a" * 50 * MEGABYTE + b"</x>"}))
    yield "overlapping-files.zip", _overlapping(zipped({"a.txt": b"words " * 1_000_000}))
    every = {f"{number}-{name}": data for number, (name, data) in enumerate((*by_entities(), *_mails(), *_tables()))}
    yield "all-other-bombs.zip", zipped(every)


def _exports() -> Iterator[tuple[str, bytes]]:
    note = b"<note><title>t</title><content><![CDATA[<en-note>%s</en-note>]]></content></note>"
    yield "deep.enex", b"<en-export>" + b"<note>" * 500_000
    yield "many-notes.enex", b"<en-export>" + note % b"x" * 30_000 + b"</en-export>"
    yield "deep-note.enex", b"<en-export>" + note % (b"<div>" * 200_000) + b"</en-export>"
    yield "boxes.enex", b"<en-export>" + note % (b"<li --en-checked:" * 100_000) + b"</en-export>"
    yield "attributes.enex", b"<en-export " + b"".join(b"a%d='1' " % number for number in range(100_000)) + b"/>"
    yield "whatsapp-stamps.txt", b"1/1/24, 1:01 - A: x\n" * 100_000
    yield "whatsapp-one-message.txt", b"1/1/24, 1:01 - A: x\n" + b"\n" * 2 * MEGABYTE
    yield "whatsapp-digits.txt", b"[" + b"1" * MEGABYTE + b"\n" + b"1/1/1, " * 200_000
    yield "whatsapp-names.txt", b"1/1/24, 1:01 - " + b"A" * MEGABYTE + b": x\n" + b"1/1/24, 1:01 - :\n" * 50_000
    yield "Keep/deep.json", b'{"listContent": ' + b"[" * 500_000 + b"]" * 500_000 + b"}"
    yield "Keep/many.json", json.dumps({"listContent": [{"text": "x"}] * 100_000}).encode()
    notion = f"x {0:032x}"
    yield f"{notion}.html", b"<article><header><table class=properties>" + b"<tr><th>a<td>b" * 20_000
    yield f"many-links {notion}.html", b"<article><header></header>" + b'<a href="%s.html">x' % notion.encode() * 20_000
    yield f"properties {notion}.md", b"# T\n\n" + b"a: b\n" * 200_000


def _package(part: str, kind: str) -> dict[str, bytes]:
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/></Types>'
    )
    relations = f'<Relationships xmlns="{RELATED}"><Relationship Id="rId1" Type="{DOCUMENT}/officeDocument" Target="{part}"/></Relationships>'
    return {"[Content_Types].xml": types.encode(), "_rels/.rels": relations.encode()}


def _overlapping(archive: bytes) -> bytes:
    """A zip whose directory names one member ten thousand times: all of them are the same bytes."""
    start = archive.index(DIRECTORY_ENTRY)
    end = archive.index(b"PK\x05\x06")
    entries = archive[start:end].split(DIRECTORY_ENTRY)[1:]
    directory = b"".join(DIRECTORY_ENTRY + entries[-1] for _ in range(10_000))
    tail = bytearray(archive[end:])
    tail[8:12] = (10_000).to_bytes(2, "little") * 2
    tail[12:16] = len(directory).to_bytes(4, "little")
    return archive[:start] + directory + bytes(tail)


def _lying(archive: bytes) -> bytes:
    """A zip that says of its largest member that it unpacks to ten bytes."""
    said = (50 * MEGABYTE + 7).to_bytes(4, "little")
    assert said in archive
    return archive.replace(said, (10).to_bytes(4, "little"))


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
