"""Spreadsheets: rows as statements, with the sheet and row that a person looks them up by."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path

import openpyxl
import pytest
from ingest.formats.known_text import DOCUMENTS, extracted

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.office.xlsx import shown_value


@pytest.mark.parametrize("name", ["sheets-openpyxl.xlsx", "sheets-libreoffice.xlsx"])
def test_rows_are_statements_with_their_header(name: str) -> None:
    document = extracted(DOCUMENTS / name)
    assert document.title == "Costs of the roof"
    said = {block.place: (block.kind, block.text) for block in document.blocks}
    row = BlockKind.TABLE_ROW
    assert said["sheet Costs, row 1"] == (BlockKind.PARAGRAPH, "What the roof cost")
    assert said["sheet Costs, row 4"] == (
        row,
        "Day: 2021-06-04; What: Timber; Amount: 7,350.50 €; Share: 40.0%; Paid: TRUE",
    )
    assert said["sheet Costs, row 6"][1].startswith("Day: 2021-06-30 14:30; What: Carpenter Möller; Amount: 4,650.00 €")
    assert said["sheet Costs, row 11"] == (row, "Keeper: Paula Reinke; Telephone: 05751 4427")
    assert said["sheet Trees 2023, row 5"] == (row, "Number: 58; Variety: 苹果; Grafted: 1952")
    assert not any("Empty" in place for place in said)


def test_a_formula_gives_the_value_that_was_saved_with_it() -> None:
    said = {block.place: block.text for block in extracted(DOCUMENTS / "sheets-libreoffice.xlsx").blocks}
    assert said["sheet Costs, row 7"] == "What: Sum; Amount: 18,400.50 €; Share: 100.0%"


def test_a_row_far_down_does_not_fill_the_memory(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.cell(1, 1, "first")
    book.active.cell(1_048_576, 1, "last")
    book.save(tmp_path / "a.xlsx")
    document = extracted(tmp_path / "a.xlsx")
    assert [block.text for block in document.blocks] == ["Sheet", "first"]
    assert document.notices == ("sheet Sheet is read up to row 100,000; split it to have the rest read",)


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (3, "General", "3"),
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (2480, "#,##0", "2,480"),
        (0.125, "0.0%", "12.5%"),
        (12.5, '"CHF" 0.00', "CHF 12.50"),
        (12.5, "[$€-407] #,##0.00", "€ 12.50"),
        (12000, '0,"K"', "12 K"),
        (12_345_678, '#,##0.0,,"M"', "12.3 M"),
        (1_234_567_890, "#,##0,", "1,234,568"),
        (-4, "0;[Red]-0", "-4"),
        (True, "General", "TRUE"),
        (date(2024, 5, 1), "d.m.yy", "2024-05-01"),
        (datetime(2024, 5, 1), "d.m.yy", "2024-05-01"),
        (datetime(2024, 5, 1, 9, 5), "d.m.yy h:mm", "2024-05-01 09:05"),
        (time(13, 30), "h:mm", "13:30"),
        (timedelta(hours=30), "[h]:mm", "1 day, 6:00:00"),
        ("two\nlines", "@", "two lines"),
    ],
)
def test_a_value_is_shown_as_in_the_sheet(value: object, number_format: str, shown: str) -> None:
    assert shown_value(value, number_format) == shown
