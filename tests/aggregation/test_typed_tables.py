"""What the columns of people's tables are read as."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from helpers.computed_answers import indexed

from noderag_local.aggregation.asked_table import asked_table
from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.tables import tables_in
from noderag_local.aggregation.typed_tables import typed_tables
from noderag_local.domain.tables import ColumnKind, TypedTable
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot

TODAY = date(2026, 11, 25)


@pytest.fixture
def table_of(tmp_path: Path) -> Callable[[str, str], TypedTable]:
    def read(name: str, text: str) -> TypedTable:
        with Store.open(indexed(tmp_path, {name: text}), write=False) as store:
            entries = Entries(store, Snapshot.open(store).words)
            (table,) = typed_tables(tables_in([one.id for one in entries.documents], entries), TODAY)
        return table

    return read


def test_columns_are_days_numbers_or_texts(table_of: Callable[[str, str], TypedTable]) -> None:
    table = table_of(
        "swim log.csv",
        "date,pool,metres,price (EUR),remark\n2026-11-01,Penha,1000,4.50,\n2026-11-04,Areeiro,800,5,cold\n2026-11-09,Penha,?,,\n",
    )
    assert table.name == "swim_log"
    assert [(one.name, one.kind, one.unit) for one in table.columns] == [
        ("date", ColumnKind.DAY, ""),
        ("pool", ColumnKind.TEXT, ""),
        ("metres", ColumnKind.NUMBER, ""),
        ("price", ColumnKind.NUMBER, "EUR"),
        ("remark", ColumnKind.TEXT, ""),
    ]
    assert table.rows == (
        ("2026-11-01", "Penha", 1000.0, 4.5, None),
        ("2026-11-04", "Areeiro", 800.0, 5.0, "cold"),
        ("2026-11-09", "Penha", None, None, None),
    )


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (("03/12/2026", "03/28/2026"), ("2026-03-12", "2026-03-28")),
        (("03/12/2026", "28/12/2026"), ("2026-12-03", "2026-12-28")),
        (("12.3.2026", "1.4.2026"), ("2026-03-12", "2026-04-01")),
        (("10 jan", "24 nov"), ("2026-01-10", "2026-11-24")),
        (("3 Mar 2026", "Mon 5 Mar 2026"), ("2026-03-03", "2026-03-05")),
    ],
)
def test_days_are_read_by_the_whole_column(
    table_of: Callable[[str, str], TypedTable], cells: tuple[str, str], days: tuple[str, str]
) -> None:
    table = table_of("log.csv", f"day,what\n{cells[0]},a\n{cells[1]},b\n")
    assert tuple(row[0] for row in table.rows) == days


@pytest.mark.parametrize(
    ("titles", "kind"), [("date,paid to the", ColumnKind.TEXT), ("le jour,payé à la", ColumnKind.DAY)]
)
def test_days_whose_order_nothing_tells_are_texts_in_english(
    table_of: Callable[[str, str], TypedTable], titles: str, kind: ColumnKind
) -> None:
    table = table_of("bills.csv", f"{titles}\n01/01/2026,a\n02/01/2026,b\n03/01/2026,c\n")
    assert table.columns[0].kind is kind


@pytest.mark.parametrize(
    ("column", "cells", "numbers"),
    [
        ("Betrag", ("1.250", "12,50"), (1250.0, 12.5)),
        ("km", ("42.195", "10.5"), (42.195, 10.5)),
        ("km", ("42.195", "10"), (42.195, 10.0)),
        ("m", ("1,250", "12.5"), (1250.0, 12.5)),
        ("EUR", ("−80", "(20.50)"), (-80.0, -20.5)),
        ("°C", ("−4", "3"), (-4.0, 3.0)),
        ("people", ("1,200", "3,400"), (1200.0, 3400.0)),
        ("€/l", ("1,659", "1,709"), (1.659, 1.709)),
        ("time", ("35 min", "40 min"), (35.0, 40.0)),
        ("share", ("30%", "20 %"), (30.0, 20.0)),
    ],
)
def test_numbers_are_read_by_the_whole_column(
    table_of: Callable[[str, str], TypedTable], column: str, cells: tuple[str, str], numbers: tuple[float, float]
) -> None:
    table = table_of("log.csv", f'what,{column}\na,"{cells[0]}"\nb,"{cells[1]}"\n')
    assert tuple(row[1] for row in table.rows) == numbers


def test_cells_that_hold_something_else_are_counted(table_of: Callable[[str, str], TypedTable]) -> None:
    cells = ["12", "15", "?", "10 or 12", "9", "8", "7"]
    table = table_of("log.csv", "what,EUR\n" + "".join(f"item {at},{cell}\n" for at, cell in enumerate(cells)))
    assert [row[1] for row in table.rows] == [12.0, 15.0, None, None, 9.0, 8.0, 7.0]
    assert [one.unread for one in table.columns] == [0, 1]


def test_a_row_that_sums_up_the_others_is_left_out(table_of: Callable[[str, str], TypedTable]) -> None:
    table = table_of(
        "costs.md", "# Costs\n\n| what | EUR |\n| --- | --- |\n| sink | 90 |\n| tiles | 210 |\n| **Total** | 300 |\n"
    )
    assert [row[0] for row in table.rows] == ["sink", "tiles"]


def test_columns_have_names_that_a_query_can_use(table_of: Callable[[str, str], TypedTable]) -> None:
    table = table_of("log.csv", "order,2026 km,price (EUR),price (USD),Größe\na,2,3,4,5\nb,3,4,5,6\n")
    assert [one.name for one in table.columns] == ["order_", "n_2026_km", "price", "price_2", "grösse"]


def test_a_table_has_a_name_that_a_query_can_use(table_of: Callable[[str, str], TypedTable]) -> None:
    table = table_of("St Oswald's singers.csv", "name,voice\nIda,alto\nOle,bass\n")
    assert table.name == "st_oswald_s_singers"


NOTES = {
    "health/swim.csv": "date,pool,metres\n2026-11-01,Penha,1000\n2026-11-04,Areeiro,800\n2026-11-09,Penha,1200\n",
    "work/invoices.csv": "client,amount,paid_on\nFolha,220,2026-02-18\nClyde,180,\nAntena,410,\n",
    "diary.md": "Met Clyde at the pool. We paid for two coffees.\n",
}


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("how many metres have I swum", "swim"),
        ("which pool did I go to most often", "swim"),
        ("Wer hat die invoices nicht bezahlt?", "invoices"),
        ("what amount did Clyde pay", "invoices"),
    ],
)
def test_a_table_is_chosen_by_its_name_its_columns_and_its_cells(tmp_path: Path, question: str, table: str) -> None:
    with Store.open(indexed(tmp_path, NOTES), write=False) as store:
        entries = Entries(store, Snapshot.open(store).words)
        every = [one.sentence.id for one in entries.of_documents([one.id for one in entries.documents])]
        found = asked_table(question, every, entries, TODAY)
        assert found is not None and found.title == table
        assert asked_table("what is the name of my dentist", [], entries, TODAY) is None
