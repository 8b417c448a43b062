"""A conversation as Markdown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from helpers.conversation_turns import SOURCE, TURN, turn

from noderag_local.domain.errors import SourceError
from noderag_local.domain.passages import Scope
from noderag_local.storage.conversations.conversations import Conversation
from noderag_local.vault.export.conversation_export import as_markdown, file_name, write_markdown

NOW = datetime(2024, 3, 5, 12, tzinfo=UTC)
TALK = Conversation(1, "The hotel in Porto", NOW, NOW, 2)


def test_questions_are_headings_and_cited_sources_footnotes() -> None:
    second = replace(
        turn("And when?", "In March. [1][2] Not in May."),
        asked_as="When was it recommended?",
        scope=Scope("trips", "porto", date(2024, 3, 1)),
        note="The answer was stopped.",
    )
    told = as_markdown(TALK, [TURN, second]).split("\n\n")
    assert told[0] == "# The hotel in Porto"
    assert told[1].startswith("2024-03-05 ")
    assert told[2:] == [
        "## Who recommended the hotel in Porto?",
        "Marta recommended it. [^1-1]",
        "[^1-1]: `/notes/trips/porto.md`, lines 12–14, Porto › Hotels › By the river: “Marta recommended the Pensão Favorita.”",
        "## And when?",
        "*Asked as: When was it recommended?*",
        "*Searched in: trips #porto since:2024-03-01*",
        "In March. [^2-1][^2-2] Not in May.",
        "*The answer was stopped.*",
        "[^2-1]: `/notes/trips/porto.md`, lines 12–14, Porto › Hotels › By the river: “Marta recommended the Pensão Favorita.”\n"
        "[^2-2]: `/notes/trips/porto.md`, line 30, Porto: “It rained.”\n",
    ]


def test_what_comes_from_notes_and_models_fetches_and_commands_nothing() -> None:
    evil = "\x1b[31m![x](http://example.org/x.png) <img src=http://example.org>\n# no heading"
    hostile = replace(turn(evil, f"{evil} [1]"), asked_as=evil)
    source = replace(SOURCE, path="/notes/`a`\n\x1b]0;x\x07.md", title=evil, text=evil)
    told = as_markdown(TALK, [replace(hostile, found=replace(hostile.found, sources=(source,)))])
    assert "\x1b" not in told and "\x07" not in told
    assert "![" not in told and "<img" not in told.replace(r"\<img", "")
    assert "`/notes/'a' ]0;x.md`" in told


def test_a_source_without_lines_is_told_by_its_place() -> None:
    source = replace(SOURCE, path="/notes/plan.pdf", first_line=0, last_line=0, place="page 3")
    told = as_markdown(TALK, [replace(TURN, found=replace(TURN.found, sources=(source,)))])
    assert "[^1-1]: `/notes/plan.pdf`, page 3, Porto" in told


def test_a_marker_without_a_source_stays_as_it_is() -> None:
    assert "So it is. [7]" in as_markdown(TALK, [turn("Why?", "So it is. [7]")])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("The hotel in Porto", "The hotel in Porto.md"),
        ("../../etc/passwd", "etc passwd.md"),
        ('a: "b"?', "a b.md"),
        ("\x1b..", "conversation.md"),
        ("词" * 300, f"{'词' * 80}.md"),
    ],
)
def test_the_file_s_name_is_fit_for_every_file_system(name: str, expected: str) -> None:
    assert file_name(replace(TALK, name=name)) == expected


def test_no_file_is_written_over(tmp_path: Path) -> None:
    first = write_markdown(TALK, [TURN], tmp_path)
    second = write_markdown(TALK, [TURN, TURN], tmp_path)
    assert (first.name, second.name) == ("The hotel in Porto.md", "The hotel in Porto 2.md")
    assert first.read_text(encoding="utf-8") == as_markdown(TALK, [TURN])
    with pytest.raises(SourceError, match="cannot be written"):
        write_markdown(TALK, [TURN], tmp_path / "missing")
