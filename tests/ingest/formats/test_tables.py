"""Tables as plain text."""

from __future__ import annotations

import pytest
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import document, lines, texts

from noderag_local.domain.documents import BlockKind


def test_rows_are_statements_with_their_lines() -> None:
    read = document("tables", (DOCUMENTS / "orchard.csv").read_bytes(), "a.csv")
    assert texts(read) == [
        "Variety: Gravensteiner; Trees: 31; Note: ripens in August; does not keep",
        'Variety: Boskoop; Trees: 44; Note: called "Schöner"',
    ]
    assert lines(read) == [(2, 3), (4, 4)]
    assert {block.kind for block in read.blocks} == {BlockKind.TABLE_ROW}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    rows = [["Name", "Remark"], ["Ada", "first, and; best"], ["Grace", "second"]]
    data = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)
    assert texts(document("tables", data, "a.csv")) == [
        "Name: Ada; Remark: first, and; best",
        "Name: Grace; Remark: second",
    ]


def test_tabs_part_a_tsv_whatever_else_stands_in_it() -> None:
    assert texts(document("tables", "A,x\tB,y\n1,2\t3,4\n", "a.tsv")) == ["A,x: 1,2; B,y: 3,4"]


def test_a_quote_that_is_never_closed_loses_no_text() -> None:
    assert "the end" in " ".join(texts(document("tables", 'a,b\n1,"open\nthe end', "a.csv")))


BANK = """"Girokonto";"DE02 1203"
"Kontostand vom 31.01.2024:";"1.234,56 €"
"Zeitraum";"Januar"
"Filter";"";"";""
""
"Buchungsdatum";"Status";"Empfänger";"Betrag"
"02.01.24";"Gebucht";"Anna";"-12,00"
"""


def test_lines_above_a_table_are_names_and_values() -> None:
    read = document("tables", BANK, "a.csv")
    assert [(block.kind, block.text, block.first_line) for block in read.blocks] == [
        (BlockKind.PARAGRAPH, "Girokonto: DE02 1203", 1),
        (BlockKind.PARAGRAPH, "Kontostand vom 31.01.2024: 1.234,56 €", 2),
        (BlockKind.PARAGRAPH, "Zeitraum: Januar", 3),
        (BlockKind.PARAGRAPH, "Filter", 4),
        (BlockKind.TABLE_ROW, "Buchungsdatum: 02.01.24; Status: Gebucht; Empfänger: Anna; Betrag: -12,00", 7),
    ]


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        ("Name,City\nJane,Berlin,\nBob,Paris,\nEve,Rome,\n", "Name: Jane; City: Berlin"),
        ("Name,Likes\nJane,tea, cake\nBob,figs, nuts\nEve,rice\n", "Name: Jane; Likes: tea; cake"),
    ],
)
def test_a_row_that_is_hardly_narrower_stays_the_header(rows: str, first: str) -> None:
    assert texts(document("tables", rows, "a.csv"))[0] == first


def test_a_header_that_is_narrower_than_some_rows_stays_one() -> None:
    assert texts(document("tables", "a,b,c\n1,2,3,4\n5,6,7,8\n", "a.csv"))[0] == "a: 1; b: 2; c: 3; 4"


@pytest.mark.parametrize("line", ["sep=|", '"SEP=|"'])
def test_the_line_that_names_the_delimiter_is_obeyed_and_not_read(line: str) -> None:
    read = document("tables", f"{line}\nName|Town\nAda;Eve|Rome, Ulm\n", "a.csv")
    assert (texts(read), lines(read)) == (["Name: Ada;Eve; Town: Rome, Ulm"], [(3, 3)])
