"""The lines of a note as they are shown, and the rows that they are broken into."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from noderag_local.interfaces.tui.reader.note_layout import MEASURED_EXACTLY, NoteLayout, broken
from noderag_local.interfaces.tui.reader.note_lines import NoteLines
from noderag_local.interfaces.tui.reader.passage_marks import passage_spans
from noderag_local.vault.browsing.note_text import NoteText

NOTE = """---
title: Garden
---
# Garden

Ask **Marta** about [the plan](plans/garden.md#Beds) and [[Jonas Brandt|Jonas]] `x*y`, see https://example.org/a.

- [ ] water *daily*
  - [x] seeds
1. first
> quoted [[#Beds]]

Beds
----
| plant | where |
|-------|-------|
| peas  | [[Bed 1]] |
```
# no heading
```
***
"""


def lines_of(text: str) -> NoteLines:
    return NoteLines(NoteText(tuple(text.split("\n")), is_file=True, is_markdown=True))


def test_marks_become_styles_and_links() -> None:
    lines = lines_of(NOTE)
    line = lines.line(5)
    assert line.text == "Ask Marta about the plan and Jonas x*y, see https://example.org/a."
    assert {(line.text[span.start : span.end], span.style) for span in line.spans} == {
        ("Marta", "strong"), ("the plan", "link"), ("Jonas", "link"), ("x*y", "code"), ("https://example.org/a.", "link"),
    }  # fmt: skip
    assert [link.target for link in line.links] == ["plans/garden.md#Beds", "Jonas Brandt", "https://example.org/a."]


def test_lists_quotes_tables_and_code_look_like_what_they_are() -> None:
    lines = lines_of(NOTE)
    shown = [lines.line(number).prefix + lines.line(number).text for number in range(len(lines))]
    assert shown[7:11] == ["☐ water daily", "  ☑ seeds", "1. first", "▎ quoted Beds"]
    assert shown[14:17] == ["plant │ where", "──────┼──────", "peas  │ Bed 1"]
    assert shown[18] == "# no heading" and lines.line(18).style == "code"
    assert lines.line(0).style == "muted" and shown[20].startswith("───")


def test_the_outline_has_the_headings_and_no_code() -> None:
    lines = lines_of(NOTE)
    assert [(one.line, one.level, one.title) for one in lines.outline()] == [(3, 1, "Garden"), (12, 2, "Beds")]
    assert lines.heading_called("beds") == 12 and lines.heading_called("peas") is None


@given(st.text(max_size=300), st.integers(2, 60))
def test_rows_have_all_words_and_fit(text: str, cells: int) -> None:
    line = " ".join(text.split())
    rows = broken(line, cells)
    assert "".join("".join(line[start:end] for start, end in rows).split()) == "".join(line.split())
    assert all(cell_len(line[start:end]) <= cells for start, end in rows)


@given(st.text(alphabet=st.sampled_from("[]()|#*_`~=<>!\\- \n\tab1.:/%{}^"), max_size=400))
def test_nonsense_is_shown_as_some_text(text: str) -> None:
    lines = lines_of(text)
    layout = NoteLayout(lines, 40)
    lines.outline()
    assert layout.height >= len(lines)
    for number in range(len(lines)):
        line = lines.line(number)
        assert "\n" not in line.text
        assert all(0 <= link.start < link.end <= len(line.text) for link in line.links)


def test_two_hundred_thousand_lines_are_laid_out_in_seconds() -> None:
    text = NoteText(
        tuple(f"- item {number} " + "word " * 20 for number in range(200_000)), is_file=True, is_markdown=True
    )
    started = time.perf_counter()
    layout = NoteLayout(NoteLines(text), 80)
    assert layout.height >= 400_000
    assert time.perf_counter() - started < 20


def test_a_very_long_note_has_room_for_every_row() -> None:
    lines = [f"{' ' * indent}{'>' * quotes} - [ ] {'word ' * 60}" for indent in (0, 4, 20) for quotes in (0, 1, 3)]
    text = NoteText((*lines, *[""] * MEASURED_EXACTLY), is_file=True, is_markdown=True)
    layout = NoteLayout(NoteLines(text), 60)
    for number in range(len(lines)):
        counted = layout.first_row(number + 1) - layout.first_row(number)
        assert counted >= len(layout.rows_of(number)), lines[number][:30]


def test_a_passage_is_found_in_its_line_by_its_sentences() -> None:
    line = "It rained. The pear tree was planted in 1987. It bears well."
    (span,) = passage_spans(line, "The pear tree was planted in 1987.")
    assert line[slice(*span)] == "The pear tree was planted in 1987."
    assert passage_spans(line, f"{line} And more.") == ((0, len(line)),)
    assert passage_spans(line, "Nothing of it.") == ()
