"""What a record of the log says, and what it leaves out."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

import pytest

from noderag_local.domain.errors import StoreError
from noderag_local.models.llm.engine import Finish
from noderag_local.system.log.log_lines import NAMES, LineFormatter, Term

CANARY = "zebrafinch"


def lines(
    message: str,
    *values: object,
    error: BaseException | None = None,
    names: bool = False,
    logger: str = "noderag_local.pipeline.indexing",
) -> list[str]:
    """A record as it is written, its time apart."""
    given = None if error is None else (type(error), error, error.__traceback__)
    record = logging.LogRecord(logger, logging.ERROR, "/home/zebrafinch/reader.py", 7, message, values, given)
    first, *rest = LineFormatter(names=names).format(record).split("\n")
    return [first.split(" ", 3)[3].lstrip("0123456789 "), *rest]


def raised(error: BaseException) -> BaseException:
    """The exception, with the places it went through."""
    with pytest.raises(type(error)) as caught:
        raise error
    return caught.value


def test_numbers_terms_and_members_of_enumerations_are_written() -> None:
    told = lines("stage %s: %d of %s, %.1f s, %s", Term("reading"), 3, 7, 1.25, Finish.LENGTH)
    assert told == ["noderag_local.pipeline.indexing: stage reading: 3 of 7, 1.2 s, length"]


@pytest.mark.parametrize("value", [CANARY, Path(CANARY), CANARY.encode(), [CANARY], {"a": CANARY}, StoreError(CANARY)])
def test_nothing_else_is(value: object) -> None:
    assert lines("found %s", value) == ["noderag_local.pipeline.indexing: found [not logged]"]


def test_the_message_of_a_library_is_left_out() -> None:
    assert lines(f"cannot read {CANARY}", logger="pypdf.reader") == ["pypdf: a message of line 7 in reader"]


def test_an_error_is_told_by_its_class_and_the_places_it_went_through() -> None:
    told = lines("it failed", error=raised(StoreError(CANARY)))
    assert told[1] == "    noderag_local.domain.errors.StoreError, exit code 4"
    assert any(line.endswith(" in raised") for line in told)
    assert CANARY not in str(told)


def test_causes_are_told() -> None:
    def fail() -> None:
        try:
            raise UnicodeDecodeError("utf-8", CANARY.encode(), 0, 1, CANARY)
        except UnicodeDecodeError as error:
            raise FileNotFoundError(2, CANARY, f"/home/{CANARY}.md") from error

    with pytest.raises(FileNotFoundError) as caught:
        fail()
    told = lines("it failed", error=caught.value)
    assert "    FileNotFoundError, ENOENT" in told
    assert "    caused by UnicodeDecodeError" in told
    assert CANARY not in str(told)


def test_groups_and_what_was_being_handled_are_told() -> None:
    inner = ValueError(CANARY)
    inner.__context__ = KeyError(CANARY)
    told = lines("it failed", error=ExceptionGroup(CANARY, [inner, OSError(CANARY)]))
    assert told[1:] == [
        "    ExceptionGroup",
        "    in the group: ValueError",
        "    while handling KeyError",
        "    in the group: OSError",
    ]


def test_sqlite_tells_its_code() -> None:
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect(":memory:").execute(f"SELECT {CANARY}")
    assert "    sqlite3.OperationalError, SQLite's error 1" in lines("it failed", error=caught.value)


def test_an_endless_recursion_and_an_endless_chain_have_an_end() -> None:
    def deeper() -> None:
        deeper()

    with pytest.raises(RecursionError) as caught:
        deeper()
    assert len(lines("it failed", error=caught.value)) < 60
    first = error = ValueError()
    for _ in range(50):
        error.__cause__ = error = ValueError()
    assert len(lines("it failed", error=first)) < 20
    error.__cause__ = first
    assert len(lines("it failed", error=first)) < 20


def test_with_names_the_full_messages_stand_in_lines_of_their_own() -> None:
    told = lines("found %s", f"{CANARY}\n2026-01-01 forged", error=raised(ValueError(CANARY)), names=True)
    assert told[:3] == [
        "noderag_local.pipeline.indexing: found [not logged]",
        f"{NAMES}found {CANARY}",
        f"{NAMES}2026-01-01 forged",
    ]
    assert told[3:5] == ["    ValueError", f"{NAMES}{CANARY}"]
    assert CANARY not in str([line for line in told if not line.startswith(NAMES)])


def test_a_name_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in str(lines("found %s", "\x1b]0;owned\x07", names=True))
