"""`noderag names`: what is read as one, and what a person decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_line import Noderag


@pytest.fixture
def vault(tmp_path: Path, noderag: Noderag) -> Path:
    """A vault of two notes that spell two names in two ways each."""
    notes = tmp_path / "notes"
    notes.mkdir()
    text = "# Trip\n\nSøren Nygård and Katharina Weber drove to Porto.\n\nSøren Nygård slept in Porto.\n"
    (notes / "trip.md").write_text(text, "utf-8")
    (notes / "list.md").write_text("# List\n\nSoren Nygard and Katarina Weber drove to Porto.\n", "utf-8")
    folder = tmp_path / "vault"
    assert noderag("index", notes, "--vault", folder).code == 0
    return folder


def test_the_list_tells_what_is_one_and_what_may_be(noderag: Noderag, vault: Path) -> None:
    told = noderag("names", "list", "--vault", vault).out
    assert "Søren Nygård: Soren Nygard (accents)" in told
    assert "Katarina Weber (1) | Katharina Weber (1)" in told
    assert "spelling, closeness" in told


def test_a_merged_name_is_shown_as_one(noderag: Noderag, vault: Path) -> None:
    told = noderag("show", "Soren Nygard", "--vault", vault).out
    assert told.startswith("Søren Nygård")
    assert "also: Soren Nygard" in told
    assert "sentences: 3" in told


def test_decisions_are_kept_and_taken_back(noderag: Noderag, vault: Path) -> None:
    pair = ("Katarina Weber", "Katharina Weber")
    done = noderag("names", "merge", *pair, "--yes", "--vault", vault, "--json")
    assert ["Katarina Weber"] in [[other["name"] for other in one["others"]] for one in done.document["merged"]]
    assert noderag("names", "undo", *pair, "--vault", vault).code == 0
    done = noderag("names", "apart", *pair, "--vault", vault, "--json")
    assert done.document["apart"] == [{"first": "Katarina Weber", "second": "Katharina Weber"}]
    assert noderag("names", "list", "--vault", vault, "--json").document["offered"] == []
    noderag("names", "apart", "Soren Nygard", "Søren Nygård", "--vault", vault)
    assert noderag("names", "list", "--vault", vault, "--json").document["merged"] == []


def test_what_is_held_apart_is_not_joined_by_another_name(noderag: Noderag, vault: Path) -> None:
    noderag("names", "apart", "Katarina Weber", "Katharina Weber", "--vault", vault)
    noderag("names", "merge", "Katarina Weber", "Porto", "--yes", "--vault", vault)
    done = noderag("names", "merge", "Katharina Weber", "Porto", "--yes", "--vault", vault)
    assert "stay apart" in done.out
    assert "noderag names undo" in done.out


def test_one_name_in_two_cases_is_no_pair(noderag: Noderag, vault: Path) -> None:
    done = noderag("names", "merge", "Porto", "PORTO", "--yes", "--vault", vault)
    assert (done.code, "one entity in every vault" in done.err) == (7, True)


def test_decisions_travel_with_an_exported_vault(noderag: Noderag, vault: Path, tmp_path: Path) -> None:
    noderag("names", "apart", "Katarina Weber", "Katharina Weber", "--vault", vault)
    assert noderag("export", tmp_path / "vault.jsonl", "--vault", vault).code == 0
    assert noderag("import", tmp_path / "vault.jsonl", "--vault", tmp_path / "other").code == 0
    told = noderag("names", "list", "--vault", tmp_path / "other", "--json").document
    assert told["apart"] == [{"first": "Katarina Weber", "second": "Katharina Weber"}]


def test_an_unknown_name_and_nobody_to_ask(noderag: Noderag, vault: Path) -> None:
    done = noderag("names", "apart", "Katarina Weber", "Nobody", "--vault", vault)
    assert (done.code, "'Nobody'" in done.err) == (7, True)
    assert noderag("names", "merge", "Katarina Weber", "Katharina Weber", "--vault", vault).code == 2
