"""Lines below one another are statements of their own, unless they are wrapped prose."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.word_counter import read, texts

CARD = "Phone: 0555 01\nLives in: Bergen\nSister: [[Ada Moll]]\n"
VERSES = "Sanded the keel twice.\nGlue is nearly empty.\nAsk Ada about the varnish.\nRain again.\n"
WRAPPED = (
    "The boat was built in the cellar of the old house by the\n"
    "canal, where it stood for eleven years before anybody had\n"
    "the patience to sand the keel, and nobody knows whose it\n"
    "was.\n"
)


def note(tmp_path: Path, name: str, text: str) -> list[str]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (document,), _ = read(path)
    return texts(document)


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_each_labelled_line_is_a_statement(tmp_path: Path, name: str) -> None:
    found = note(tmp_path, name, CARD)
    assert found[:2] == ["Phone: 0555 01", "Lives in: Bergen"] and len(found) == 3


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_each_short_line_is_a_statement(tmp_path: Path, name: str) -> None:
    assert note(tmp_path, name, VERSES)[-2:] == ["Ask Ada about the varnish.", "Rain again."]


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_wrapped_prose_is_one(tmp_path: Path, name: str) -> None:
    assert len(note(tmp_path, name, WRAPPED)) == 1


def test_a_comment_may_reach_over_lines(tmp_path: Path) -> None:
    found = " ".join(note(tmp_path, "a.md", "One: a.\nTwo: %%left\nout: of it%%\nThree: four.\n"))
    assert "Three: four." in found and "left" not in found and "out" not in found
