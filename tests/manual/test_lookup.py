"""What a person finds in the manual."""

from __future__ import annotations

from pathlib import Path

import pytest

import noderag_local
from noderag_local.manual.lookup import find, nearest, search
from noderag_local.manual.pages import pages, sections


def test_the_contents_list_every_page() -> None:
    files = {path.stem for path in (Path(noderag_local.__file__).parent / "manual").glob("*.md")}
    assert {one.name for one in pages()} == files


def test_every_page_says_in_a_sentence_what_it_is_about() -> None:
    for one in pages():
        assert one.summary.endswith(".")
        assert len(one.summary) < 120


def test_no_two_headings_of_a_page_have_one_anchor() -> None:
    anchors = [(one.page, one.anchor) for one in sections()]
    assert len(anchors) == len(set(anchors))


@pytest.mark.parametrize(
    ("topic", "page", "title"),
    [
        ("settings", "settings", "Settings"),
        ("Settings", "settings", "Settings"),
        ("air gap", "air-gap", "Air gap"),
        ("air-gap.md", "air-gap", "Air gap"),
        ("forget", "commands", "noderag forget"),
        ("noderag forget", "commands", "noderag forget"),
        ("models", "models", "Models"),
        ("models get", "commands", "noderag models get"),
        ("exit codes", "commands", "Exit codes"),
        ("a hostile file", "privacy", "A hostile file"),
    ],
)
def test_a_topic_is_a_page_a_command_or_a_heading(topic: str, page: str, title: str) -> None:
    found = find(topic)
    assert found is not None
    assert (found.page, found.title) == (page, title)


def test_a_section_ends_where_the_next_one_begins() -> None:
    found = find("noderag stats")
    assert found is not None
    assert found.text.startswith("## noderag stats\n")
    assert "## noderag doctor" not in found.text


def test_a_comment_in_a_block_of_code_is_no_heading() -> None:
    assert "settings.toml" not in [one.title for one in sections()]


@pytest.mark.parametrize(
    ("topic", "near"),
    [("setings", "settings"), ("forgett", "forget"), ("passphrases", "passphrase"), ("pdf", "Documents")],
)
def test_an_unknown_topic_is_told_the_nearest(topic: str, near: str) -> None:
    assert find(topic) is None
    assert near in nearest(topic)


def test_what_is_like_nothing_has_nothing_near() -> None:
    assert nearest("xyzzyqwv") == ()


def test_a_search_finds_sections_that_hold_all_words_headings_first() -> None:
    hits = search("exit codes")
    assert hits[0].section.title == "Exit codes"
    hits = search("scrypt passphrase")
    assert [hit.section.title for hit in hits] == ["Somebody who steals the machine or copies the disk"]
    assert "scrypt" in hits[0].line
    assert search("  ") == ()
