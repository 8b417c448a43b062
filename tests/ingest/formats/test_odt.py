"""OpenDocument texts: what is put aside, what is left out, and locked files."""

from __future__ import annotations

import io
import zipfile

import pytest
from ingest.formats.known_text import DOCUMENTS, extracted

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.office.odt import EXTRACTOR

NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for name, full in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("style", "style"),
    )
)


def odt(body: str, **members: str) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(
            "content.xml",
            f"<office:document-content {NAMESPACES}><office:body><office:text>{body}</office:text></office:body></office:document-content>",
        )
        for name, text in members.items():
            archive.writestr(name, text)
    return file


def texts(body: str) -> list[str]:
    (document,) = EXTRACTOR.read(odt(body), "a.odt")
    return [block.text for block in document.blocks]


def test_a_footnote_follows_its_paragraph() -> None:
    said = [block.text for block in extracted(DOCUMENTS / "known-libreoffice.odt").blocks]
    assert said[said.index("The broken bottles were paid for by the brewery in Rinteln.") - 1].endswith("in one night.")


def test_spaces_and_line_breaks_part_words() -> None:
    assert texts("<text:p>one<text:s text:c='3'/>two<text:line-break/>three<text:tab/>four</text:p>") == [
        "one two three four"
    ]


def test_program_text_keeps_its_lines() -> None:
    line = '<text:p text:style-name="Preformatted_20_Text">{}</text:p>'
    (document,) = EXTRACTOR.read(
        odt(line.format("if ripe:") + line.format("<text:s text:c='4'/>pick()") + "<text:p>Done.</text:p>"), "a.odt"
    )
    assert [(block.kind, block.text) for block in document.blocks] == [
        (BlockKind.CODE, "if ripe:\n    pick()"),
        (BlockKind.PARAGRAPH, "Done."),
    ]


def test_comments_deletions_and_contents_are_left_out() -> None:
    body = (
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        "<text:table-of-content><text:p>The press 3</text:p></text:table-of-content>"
        "<text:p>It <office:annotation><text:p>check this</text:p></office:annotation>stays.</text:p>"
    )
    assert texts(body) == ["It stays."]


def test_two_columns_are_names_and_values_unless_the_first_row_is_a_header() -> None:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    first, second = (
        f"<table:table-row>{''.join(map(cell.format, cells))}</table:table-row>"
        for cells in (("Name", "Jane"), ("Phone", "555"))
    )
    assert texts(f"<table:table>{first}{second}</table:table>") == ["Name: Jane", "Phone: 555"]
    header = f"<table:table-header-rows>{first}</table:table-header-rows>"
    assert texts(f"<table:table>{header}{second}</table:table>") == ["Name: Phone; Jane: 555"]


def test_a_table_in_a_cell_is_said_once() -> None:
    cell = "<table:table-cell>{}</table:table-cell>"
    inner = f"<table:table><table:table-row>{cell.format('<text:p>44</text:p>')}</table:table-row></table:table>"
    row = f"<table:table-row>{cell.format('<text:p>Anneke</text:p>')}{cell.format(inner)}</table:table-row>"
    assert texts(f"<table:table><table:table-header-rows>{row}</table:table-header-rows></table:table>") == [
        "Anneke; 44"
    ]


def test_columns_that_only_fill_the_page_are_not_repeated_without_end() -> None:
    row = "<table:table-row><table:table-cell table:number-columns-repeated='{}'><text:p>{}</text:p></table:table-cell></table:table-row>"
    (statement,) = texts(f"<table:table>{row.format(999_999_999, 'x')}</table:table>")
    assert statement.count("x") == 64


def test_deep_nesting_ends() -> None:
    depth = 5000
    assert texts(
        "<text:p>a</text:p>" + "<text:section>" * depth + "<text:p>b</text:p>" + "</text:section>" * depth
    ) == ["a"]
    assert texts("<text:p>" + "<text:span>" * depth + "c" + "</text:span>" * depth + "</text:p>") == ["c"]


def test_a_locked_file_says_so() -> None:
    manifest = {"META-INF/manifest.xml": "<manifest><encryption-data/></manifest>"}
    with pytest.raises(DocumentError, match="locked by a password"):
        list(EXTRACTOR.read(odt("", **manifest), "a.odt"))


def test_entities_are_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("content.xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>')
    with pytest.raises(DocumentError, match="declares XML entities"):
        list(EXTRACTOR.read(file, "a.odt"))
