from __future__ import annotations

import pytest

from noderag_local.interfaces.tui.chat.slash_commands import COMMANDS, hints, is_command, parse_command, unknown_command

METHODS = ("noderag", "naive", "bm25")


@pytest.mark.parametrize("text", ["/", "/method", "/method bm25", "/scope trips #porto since:2024"])
def test_what_begins_with_a_slash_is_a_command(text: str) -> None:
    assert is_command(text)


@pytest.mark.parametrize("text", ["", "method", "/home/anna/notes, what is that?", "/new\nand more", "and/or"])
def test_a_path_or_a_longer_text_is_a_question(text: str) -> None:
    assert not is_command(text)


def test_a_command_is_read_with_its_argument_whatever_its_case() -> None:
    assert parse_command("/Method  bm25 ") == parse_command("/method bm25")
    assert parse_command("/scope trips #porto").argument == "trips #porto"


def test_every_command_is_offered_after_the_slash() -> None:
    assert [hint.text.strip() for hint in hints("/", METHODS)] == [f"/{command.name}" for command in COMMANDS]


def test_a_beginning_narrows_the_offer() -> None:
    assert [hint.text for hint in hints("/me", METHODS)] == ["/method "]
    assert [hint.text for hint in hints("/n", METHODS)] == ["/new", "/name ", "/note "]


def test_a_note_is_a_command_with_a_text_of_one_line_or_several() -> None:
    for text in ("/note", "/note buy milk", "/note and/or", "/Note one\ntwo"):
        assert is_command(text)
    assert parse_command("/note one  two\nthree").argument == "one  two\nthree"
    assert not is_command("/notes\nare here") and not is_command("/notebook/pages")


def test_methods_are_offered_by_name() -> None:
    assert [hint.text for hint in hints("/method n", METHODS)] == ["/method noderag", "/method naive"]


@pytest.mark.parametrize("text", ["/new", "/method bm25", "/nothing", "/budget 20", "When?"])
def test_nothing_is_offered_where_nothing_can_follow(text: str) -> None:
    assert hints(text, METHODS) == ()


def test_an_unknown_command_is_told_with_those_that_there_are() -> None:
    assert unknown_command("metod").startswith("There is no command /metod. There are: /method, /budget")
