"""How far a conversion is, and how it is stopped."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from noderag_local.domain.progress import Progress
from noderag_local.storage.encryption.conversion_progress import ConversionProgress, Stopped

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


@pytest.fixture
def databases(tmp_path: Path) -> list[Path]:
    """Of 4 and 2 megabytes."""
    found = [tmp_path / "one", tmp_path / "other"]
    for path, megabytes in zip(found, (4, 2), strict=True):
        path.write_bytes(bytes(megabytes * 1_000_000))
    return found


def test_it_counts_megabytes_over_all_databases_and_comes_to_its_end(databases: list[Path]) -> None:
    told: list[Progress] = []
    progress = ConversionProgress("encrypting", told.append)
    progress.expect(databases)
    for path in databases:
        with progress.over(path):
            progress.tell(0.5)
            progress.tell(1.5)
    progress.end()
    assert [(one.done, one.total) for one in told] == [(2, 6), (4, 6), (5, 6), (6, 6), (6, 6)]
    assert {(one.stage, one.unit) for one in told} == {("encrypting", "MB")}


def test_what_is_small_is_not_over_before_its_end(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"x" * 1000)
    told: list[Progress] = []
    progress = ConversionProgress("encrypting", told.append)
    progress.expect([tmp_path / "small"])
    with progress.over(tmp_path / "small"):
        progress.tell(1.0)
    progress.end()
    assert [(one.done, one.total) for one in told] == [(0, 1), (1, 1)]


def test_a_statement_at_work_is_given_up(tmp_path: Path) -> None:
    looked: list[float] = []
    progress = ConversionProgress("", lambda _: None, lambda: len(looked) > 3)
    with (
        closing(sqlite3.connect(tmp_path / "any")) as connection,
        pytest.raises(Stopped),
        progress.watching(connection, lambda: looked.append(0.5) or 0.5),
    ):
        connection.execute(ENDLESS).fetchone()
    assert len(looked) == 4


def test_other_errors_are_not_taken_for_a_stop(tmp_path: Path) -> None:
    progress = ConversionProgress()
    with (
        closing(sqlite3.connect(tmp_path / "any")) as connection,
        pytest.raises(sqlite3.OperationalError, match="no such table"),
        progress.watching(connection, lambda: 0.0),
    ):
        connection.execute("SELECT * FROM missing")
