"""Text on its way to a terminal."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from noderag_local.domain.passages import Source
from noderag_local.interfaces.cli import json_output
from noderag_local.interfaces.cli import printed as screen

SOURCE = Source(
    number=3,
    path="/notes/trip.md",
    record=0,
    title="Porto",
    headings=("Porto", "Plan"),
    first_line=4,
    last_line=9,
    start_byte=0,
    end_byte=9,
    text="Dinner at eight.",
)

PAYLOADS = [
    "\x1b]0;owned\x07",
    "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;cm0gLXJm\x07",
    "\x1bP+q544e\x1b\\",
    "\x9b31m",
    "\x1b[2J\x1b[H",
    "a\rb",
    "\u202egnp.exe",
    "\x1b",
    "[red]not markup[/red] [/]",
]


def printed(draw: object, *, terminal: bool) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, color_system=None, markup=False, highlight=False, width=60)
    screen.show(console, draw)  # type: ignore[arg-type]
    return out.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_a_note_holds_steers_the_terminal(payload: str, terminal: bool) -> None:
    hostile = replace(SOURCE, path=f"/notes/{payload}.md", title=payload, headings=(payload,), text=payload)
    for shown in (hostile.text, screen.source_line(hostile)):
        text = printed(shown, terminal=terminal)
        assert not [sign for sign in text if sign != "\n" and not sign.isprintable()]


@given(st.text())
def test_a_document_for_programs_is_printable_ascii_and_comes_back_whole(text: str) -> None:
    out = io.StringIO()
    json_output.typer.echo(json.dumps(text, ensure_ascii=True), file=out)
    assert all(" " <= sign <= "~" for sign in out.getvalue().rstrip("\n"))
    assert json.loads(out.getvalue()) == text


def test_records_and_paths_become_json(capsys: pytest.CaptureFixture[str]) -> None:
    json_output.print_document({"source": SOURCE, "folder": Path("/vault"), "none": None})
    told = json.loads(capsys.readouterr().out)
    assert told["source"]["headings"] == ["Porto", "Plan"]
    assert told["folder"] == "/vault"


def test_the_line_over_a_source() -> None:
    assert screen.source_line(SOURCE).plain == "[3] /notes/trip.md:4-9  Porto › Plan"
    bare = replace(SOURCE, title="", headings=(), last_line=4)
    assert screen.source_line(bare, "why").plain == "[3] /notes/trip.md:4  why"


def test_files_below_the_current_folder_are_named_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert screen.place(str(tmp_path / "a" / "b.md"), 7, 7) == str(Path("a") / "b.md:7")
    assert screen.place("/elsewhere/b.md") == "/elsewhere/b.md"


def test_long_text_wraps_on_a_terminal_alone() -> None:
    text = "word " * 40
    assert len(printed(text, terminal=True).splitlines()) > 1
    assert printed(text, terminal=False).count("\n") == 1


def test_a_source_without_lines_is_told_by_its_place() -> None:
    source = replace(SOURCE, path="/notes/plan.pdf", first_line=0, last_line=0, place="page 3 – page 4")
    assert str(screen.source_line(source)).startswith("[3] /notes/plan.pdf, page 3 – page 4")
    assert screen.place("/notes/plan.docx") == "/notes/plan.docx"
