"""What a folder holds that would be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.domain.errors import SourceError
from noderag_local.vault.browsing.survey import START_SECONDS, survey


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "a.md": "# A\n",
        "b.MD": "b",
        "c.txt": "cc",
        "d.jsonl": "{}",
        "e.bmp": "BMP",
        "zotero.sqlite": "SQLite",
        ".f": "f",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_files_are_counted_by_kind_and_what_is_left_out_by_reason(folder: Path) -> None:
    found = survey([folder], 1 << 20)
    assert (found.files, found.size_bytes, found.errors) == (5, 4 + 1 + 2 + 2 + 6, 0)
    assert dict(found.kinds) == {"Markdown": 2, "text": 1, "JSON Lines": 1, "Zotero": 1}
    left_out = {group.reason: [Path(path).name for path in group.paths] for group in found.left_out}
    assert left_out == {"not a text document": ["e.bmp"], "hidden": [".f"]}


def test_a_larger_folder_takes_longer(folder: Path) -> None:
    before = survey([folder], 1 << 20).seconds
    (folder / "long.md").write_text("word " * 100_000, encoding="utf-8")
    assert before >= START_SECONDS
    assert survey([folder], 1 << 20).seconds > before + 10


def test_pictures_are_not_taken_for_long_texts(folder: Path) -> None:
    before = survey([folder], 1 << 20).seconds
    (folder / "photo.jpg").write_bytes(bytes(500_000))
    assert survey([folder], 1 << 20).seconds == before


def test_a_file_that_is_named_is_read_as_text_whatever_it_is(folder: Path) -> None:
    assert survey([folder / "e.bmp"], 1 << 20).kinds == (("read as text", 1),)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere does not exist"):
        survey([tmp_path / "nowhere"], 1 << 20)
