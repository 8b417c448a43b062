"""How a path that is half typed may go on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.interfaces.tui.library.path_input import common_start, completions


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with three folders, one of them hidden, and a file."""
    for name in ("Notes", "notebooks", ".secret"):
        (tmp_path / name).mkdir()
    (tmp_path / "Notes" / "job").mkdir()
    (tmp_path / "model.GGUF").write_bytes(b"GGUF")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


class TestCompletions:
    @pytest.mark.parametrize("text", ["", "~", "~/"])
    def test_nothing_typed_offers_the_folders_of_the_home_folder(self, home: Path, text: str) -> None:
        assert completions(text) == ["~/notebooks/", "~/Notes/"]

    def test_the_last_part_is_completed_whatever_its_capitals(self, home: Path) -> None:
        assert completions("~/NOTE") == ["~/notebooks/", "~/Notes/"]
        assert completions("~/notes") == ["~/Notes/"]

    def test_a_slash_opens_a_folder(self, home: Path) -> None:
        assert completions("~/Notes/") == ["~/Notes/job/"]
        assert completions(f"{home}/Notes/j") == [f"{home}/Notes/job/"]

    def test_a_dot_brings_hidden_folders(self, home: Path) -> None:
        assert completions("~/.s") == ["~/.secret/"]

    def test_files_are_offered_when_their_kind_is_asked_for(self, home: Path) -> None:
        assert completions("~/m") == []
        assert completions("~/m", (".gguf",)) == ["~/model.GGUF"]

    def test_a_folder_that_is_none_offers_nothing(self, home: Path) -> None:
        assert completions("~/model.GGUF/") == completions("/nowhere/at/all/") == []

    def test_a_name_that_would_not_show_as_it_is_cannot_be_chosen(self, tmp_path: Path) -> None:
        for name in ("a\x1b]0;x\x07", "a\u202eb", "a\nb", os.fsdecode(b"a\xff"), "plain"):
            (tmp_path / name).mkdir()
        assert completions(f"{tmp_path}/") == [f"{tmp_path}/plain/"]


class TestCommonStart:
    def test_letters_of_either_case_are_alike(self) -> None:
        assert common_start(["~/Notes/", "~/notebooks/"]) == "~/Note"

    @given(st.lists(st.text(), max_size=5))
    def test_every_path_begins_with_it(self, paths: list[str]) -> None:
        start = common_start(paths)
        for path in paths:
            assert [sign.casefold() for sign in path[: len(start)]] == [sign.casefold() for sign in start]
