"""Real files, read as they were indexed; then shown as they are now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from noderag_local.domain.errors import DocumentError
from noderag_local.domain.passages import Source
from noderag_local.ingest.chunks.surroundings import surroundings

LINES = [f"Line {number} tells of the garden." for number in range(1, 101)]
WANTED = "The pear tree was planted in 1987."


def source_of(path: Path, wanted: str = WANTED, encoding: str = "utf-8") -> Source:
    """A source that names `wanted` where it stands in the file now."""
    data = path.read_bytes()
    start = data.index(wanted.encode(encoding))
    line = data[:start].decode(encoding, "replace").count("\n") + 1
    return Source(1, str(path), 0, "", (), line, line, start, start + len(wanted.encode(encoding)), wanted)


def written(path: Path, encoding: str = "utf-8") -> Path:
    """Fifty lines, one with the passage in its middle, fifty lines."""
    lines = [*LINES[:50], f"Note: {WANTED} It bears well.", *LINES[50:]]
    path.write_bytes("\n".join(lines).encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_passage_stands_between_its_lines(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path / "a.md", encoding)
    inner = "utf-16-le" if encoding == "utf-16" else encoding.removesuffix("-sig")
    found = surroundings(source_of(path, encoding=inner), lines=2)
    assert found.before == f"{LINES[48]}\n{LINES[49]}\nNote: "
    assert found.cited == WANTED
    assert found.after == f" It bears well.\n{LINES[50]}\n{LINES[51]}"
    assert found.first_line == 49


def test_at_the_start_and_the_end_of_a_file_there_is_nothing_around(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(WANTED)
    found = surroundings(source_of(path))
    assert (found.before, found.cited, found.after, found.first_line) == ("", WANTED, "", 1)


def test_a_long_line_is_not_read_to_its_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x " * 500_000 + WANTED + " y" * 500_000)
    found = surroundings(source_of(path))
    assert found.cited == WANTED
    assert len(found.before) + len(found.after) < 40_000


def test_a_record_is_shown_by_its_text(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    record = json.dumps({"title": "Gärten", "text": f"Früher war hier nichts. {WANTED} Sie trägt gut."})
    path.write_text(f"{record}\n{record}\n")
    at = len(record) + 1
    source = Source(1, str(path), 1, "Gärten", (), 2, 2, at, at + len(record), WANTED)
    found = surroundings(source)
    assert (found.before, found.cited, found.after) == ("Früher war hier nichts. ", WANTED, " Sie trägt gut.")
    assert found.first_line == 2


def test_marks_of_the_layout_are_no_change(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("- The **pear tree** was planted in [[1987]].\n")
    source = Source(1, str(path), 0, "", (), 1, 1, 2, 43, WANTED)
    assert surroundings(source).cited == "The **pear tree** was planted in [[1987]]"


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    source = source_of(written(tmp_path / "a.md"))
    Path(source.path).unlink()
    with pytest.raises(DocumentError, match=r"is gone\. Below is what was indexed"):
        surroundings(source)


@pytest.mark.parametrize("now", ["", "Short.", "Something else altogether stands here now. " * 100, "\0\0\0binary"])
def test_a_file_that_says_something_else_is_told(tmp_path: Path, now: str) -> None:
    source = source_of(written(tmp_path / "a.md"))
    Path(source.path).write_text(now)
    with pytest.raises(DocumentError, match="has changed since it was indexed"):
        surroundings(source)


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    source = source_of(written(tmp_path / "a.md"))
    Path(source.path).unlink()
    Path(source.path).mkdir()
    with pytest.raises(DocumentError, match="Below is what was indexed"):
        surroundings(source)
