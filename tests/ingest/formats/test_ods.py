"""OpenDocument spreadsheets: rows as they are shown, what fills the page, what is damaged."""

from __future__ import annotations

import io
import zipfile

import pytest
from ingest.formats.known_text import DOCUMENTS, extracted
from ingest.formats.reading import document, texts

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.office import ods, sheet_rows

NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
)
CELL = "<table:table-cell table:number-columns-repeated='{}'>{}</table:table-cell>"


def sheet(*rows: str, name: str = "A") -> str:
    return f'<table:table table:name="{name}">{"".join(rows)}</table:table>'


def row(*cells: str, times: str = "1") -> str:
    made = "".join(CELL.format(1, f"<text:p>{cell}</text:p>" if cell else "") for cell in cells)
    return f"<table:table-row table:number-rows-repeated='{times}'>{made}</table:table-row>"


def workbook(body: str, **members: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(
            "content.xml",
            f"<office:document-content {NAMESPACES}><office:body><office:spreadsheet>{body}</office:spreadsheet></office:body></office:document-content>",
        )
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def rows_of(body: str) -> list[tuple[str, str]]:
    return [(block.place, block.text) for block in document("ods", workbook(body), "a.ods").blocks]


def test_rows_are_statements_with_sheet_and_row() -> None:
    read = extracted(DOCUMENTS / "sheets.ods")
    assert read.title == "Costs of the roof"
    assert [(block.kind, block.place, block.text) for block in read.blocks] == [
        (BlockKind.HEADING, "sheet Costs", "Costs"),
        (BlockKind.PARAGRAPH, "sheet Costs, row 1", "What the roof cost"),
        (BlockKind.TABLE_ROW, "sheet Costs, row 4", "Day: 2021-06-04; What: Timber; Amount: 7.350,50 €; Paid: WAHR"),
        (BlockKind.TABLE_ROW, "sheet Costs, row 5", "Day: 2021-06-11; What: Tiles & gutters; Paid: WAHR"),
        (BlockKind.TABLE_ROW, "sheet Costs, row 6", "Day: 2021-06-30 14:30; What: Carpenter Möller; Amount: 4.650,00 €; Paid: FALSCH"),
        (BlockKind.TABLE_ROW, "sheet Costs, row 7", "What: Sum; Amount: 12.000,50 €"),
        (BlockKind.HEADING, "sheet Trees 2023", "Trees 2023"),
        (BlockKind.TABLE_ROW, "sheet Trees 2023, row 3", "Number: 17; Variety: Goldparmäne; Grafted: 1911"),
        (BlockKind.TABLE_ROW, "sheet Trees 2023, row 4", "Number: 44; Variety: Boskoop; Grafted: 1938"),
    ]  # fmt: skip


def test_a_cell_that_is_repeated_keeps_the_columns_apart() -> None:
    gap = f"<table:table-row>{CELL.format(1, '<text:p>Ada</text:p>')}{CELL.format(3, '')}{CELL.format(1, '<text:p>Graz</text:p>')}</table:table-row>"
    names = row("Name", "Born", "Work", "Remark", "Town")
    filled = row("Eve", "1911", "smith", "left", "Rome")
    assert rows_of(sheet(names, filled, gap))[-1] == ("sheet A, row 3", "Name: Ada; Town: Graz")


def test_rows_and_cells_that_only_fill_the_page_are_not_repeated_without_end() -> None:
    bomb = f"<table:table-row table:number-rows-repeated='1048576'>{CELL.format(16384, '<text:p>x</text:p>')}</table:table-row>"
    read = rows_of(sheet(bomb))
    assert len(read) == 1 + 64
    assert all(text.count("x") <= 64 for _, text in read)
    far = f"<table:table-row>{CELL.format('9' * 30, '')}{CELL.format(1, '<text:p>far</text:p>')}</table:table-row>"
    assert rows_of(sheet(row("", times="1048000"), far)) == [
        ("sheet A", "A"),
        ("sheet A, row 1048001", "far"),
    ]


def test_rows_after_a_repeated_one_keep_their_number() -> None:
    assert rows_of(sheet(row("a", times="500"), row(), row("b")))[-1] == ("sheet A, row 502", "b")


def test_rows_beyond_the_limit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ods, "MAX_ROWS", 2)
    assert sheet_rows.MAX_ROWS > 2
    read = document("ods", workbook(sheet(row("a"), row("b"), row("c"), row("d")) + sheet(row("e"), name="B")), "a.ods")
    assert texts(read) == ["A", "a", "b"]
    assert [notice.partition(";")[0] for notice in read.notices] == [
        "sheet A is read up to row 2",
        "sheet B is read up to row 0",
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04 no zip", "zip directory"),
        (workbook("<table:table>"), "not well-formed XML"),
        (workbook(sheet(row("a")), **{"META-INF/manifest.xml": "<x><encryption-data/></x>"}), "locked by a password"),
        ((DOCUMENTS / "slides.odp").read_bytes(), "has no sheets"),
    ],
)
def test_what_is_no_spreadsheet_is_told(data: bytes, why: str) -> None:
    with pytest.raises(DocumentError, match=why):
        document("ods", data, "a.ods")
