"""The text of a note: real files as they are now, and texts as they were read."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.domain.errors import DocumentError
from noderag_local.domain.passages import Source
from noderag_local.vault.browsing.note_text import file_text, is_shown_from_file, stored_text

LINES = [f"Line {number} tells of the garden." for number in range(1, 101)]
WANTED = "The pear tree was planted in 1987."


def source_at(line: int, text: str = WANTED) -> Source:
    return Source(1, "/notes/a.md", 0, "", (), line, line, 0, 0, text)


def written(path: Path, encoding: str = "utf-8") -> Path:
    """Fifty lines, one with the passage in its middle, fifty lines."""
    lines = [*LINES[:50], f"Note: {WANTED} It bears well.", *LINES[50:]]
    path.write_bytes("\n".join(lines).encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_lines_are_those_of_the_file(tmp_path: Path, encoding: str) -> None:
    text = file_text(str(written(tmp_path / "a.md", encoding)))
    assert text.lines == (*LINES[:50], f"Note: {WANTED} It bears well.", *LINES[50:])
    assert text.lines_of(source_at(51)) == (50, 50)


def test_marks_of_the_layout_are_no_change(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("- The **pear tree** was planted in [[1987]].\n")
    assert file_text(str(path)).lines_of(source_at(1)) == (0, 0)


def test_a_passage_that_has_moved_is_found_where_it_is_now(tmp_path: Path) -> None:
    path = written(tmp_path / "a.md")
    path.write_text("A new first line.\n\n" + path.read_text())
    assert file_text(str(path)).lines_of(source_at(51)) == (52, 52)


@pytest.mark.parametrize("now", ["", "Short.", "Something else altogether stands here now. " * 100])
def test_a_passage_that_is_gone_is_not_found(tmp_path: Path, now: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(now)
    assert file_text(str(path)).lines_of(source_at(51)) is None


@pytest.mark.parametrize("how", ["gone", "a folder", "binary"])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, how: str) -> None:
    path = tmp_path / "a.md"
    if how == "a folder":
        path.mkdir()
    elif how == "binary":
        path.write_bytes(b"\0\0\0binary")
    with pytest.raises(DocumentError, match=r"Below is what was indexed"):
        file_text(str(path))


def test_controls_and_tabs_reach_no_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a\x1b]0;owned\x07b\tc\u202ed\x0ce\n")
    assert file_text(str(path)).lines == ("a]0;ownedb    cde",)


def test_a_text_as_it_was_read_tells_each_page_once_and_keeps_headings_apart() -> None:
    said = [
        ("Talk", 0, "slide 1"),
        ("We own a press.", 6, "slide 1"),
        ("It is old.", 23, "slide 1"),
        ("Costs", 35, "slide 2"),
    ]
    sources = [
        Source(0, "/n/a.pptx", 0, "Talk", (), 0, 0, at, at + len(text), text, place=place) for text, at, place in said
    ]
    text = stored_text(sources, frozenset({0, 3}))
    assert text.lines == ("– slide 1 –", "Talk", "We own a press.", "It is old.", "– slide 2 –", "Costs")
    assert (text.headings, text.leaves) == ({1, 5}, {0, 4})
    assert text.lines_of(sources[2]) == (3, 3)


def test_rows_of_a_sheet_are_not_told_apart() -> None:
    rows = [
        Source(0, "/n/a.xlsx", 0, "", (), 0, 0, at, at + 4, f"A: {at}", place=f"sheet Costs, row {at + 2}")
        for at in (0, 6)
    ]
    assert stored_text(rows, frozenset()).lines == ("A: 0", "A: 6")


def test_only_text_is_shown_from_its_file() -> None:
    assert all(map(is_shown_from_file, ("/a.md", "/a.TXT", "/a.py", "/a")))
    assert not any(map(is_shown_from_file, ("/a.pdf", "/a.docx", "/a.jsonl", "/a.eml", "/a.html")))
