"""`--vault` before a command, behind it, and at both places."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_line import Noderag

from noderag_local.config import Settings
from noderag_local.interfaces.cli.run_command import run


@pytest.mark.parametrize("words", [("stats",), ("search", "Borealis"), ("names", "list"), ("show", "Home server")])
def test_before_the_command_it_is_as_good_as_behind_it(
    noderag: Noderag, sample_vault: Path, words: tuple[str, ...]
) -> None:
    before = noderag("--vault", sample_vault, *words)
    assert before.code == 0
    if words[0] != "search":
        # The last line of a search has its time.
        assert before.out == noderag(*words, "--vault", sample_vault).out


def test_the_later_one_wins(noderag: Noderag, sample_vault: Path, tmp_path: Path) -> None:
    assert noderag("--vault", tmp_path / "none", "stats", "--vault", sample_vault).code == 0
    assert noderag("--vault", sample_vault, "stats", "--vault", tmp_path / "none").code == 4


def test_a_command_without_a_vault_takes_no_notice(noderag: Noderag, tmp_path: Path) -> None:
    assert noderag("--vault", tmp_path, "methods", "bm25").code == 0


def test_alone_it_opens_the_interface(sample_vault: Path) -> None:
    given: list[Settings] = []

    def interface(settings: Settings) -> int:
        given.append(settings)
        return 0

    assert run(["--vault", str(sample_vault)], interface) == 0
    assert [settings.vault for settings in given] == [sample_vault]


def test_a_file_is_no_vault(noderag: Noderag, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = noderag("--vault", tmp_path / "file", "stats")
    assert done.code == 2
    assert "--vault" in done.err
