"""Org files."""

from __future__ import annotations

import pytest
from ingest.formats.reading import document, lines, texts

from noderag_local.domain.documents import BlockKind, WikiLink

NOTE = """#+TITLE: My garden
#+FILETAGS: :outside:green:
#+TODO: NEXT | GONE
Before.

* NEXT [#A] A *bold* [[https://x.example][page]] :t1:t2:
SCHEDULED: <2024-05-01 Wed>
:PROPERTIES:
:ID: abc
:END:
Seen on /two/
lines in [[file:roses.org::*Red][Roses]] and [[id:7][Soil]] [fn:1].
# a comment
- [X] item
  goes on
** Sub
#+begin_src python
x = [[1]]
#+end_src
| What | Price |
|------+-------|
| Rose | 3     |
#+begin_quote
A _saying_.
#+end_quote
"""


def test_a_note_in_blocks_with_their_lines() -> None:
    read = document("org", NOTE, "a.org")
    assert read.title == "My garden"
    assert read.tags == ("green", "outside")
    assert list(zip(texts(read), lines(read), strict=True)) == [
        ("Before.", (4, 4)),
        ("A bold page", (6, 6)),
        ("Scheduled: 2024-05-01 Wed", (7, 7)),
        ("Seen on two lines in Roses and Soil .", (11, 12)),
        ("item goes on", (14, 15)),
        ("Sub", (16, 16)),
        ("x = [[1]]", (18, 18)),
        ("What: Rose; Price: 3", (22, 22)),
        ("A saying.", (24, 24)),
    ]
    assert read.blocks[1].tags == ("t1", "t2", "NEXT")
    assert read.blocks[3].links == (WikiLink("roses", "Roses"), WikiLink("Soil", "Soil"))
    assert read.blocks[6].kind is BlockKind.CODE
    assert read.blocks[8].headings == ("A bold page", "Sub")


def test_lines_are_those_of_an_editor() -> None:
    assert lines(document("org", "A\fb\u2028c.\n\n* Head\n", "a.org")) == [(1, 1), (3, 3)]


def test_two_columns_are_names_and_values_unless_a_rule_follows_the_first_row() -> None:
    assert texts(document("org", "| Name | Jane |\n| Phone | 555 |\n", "a.org")) == ["Name: Jane", "Phone: 555"]
    assert texts(document("org", "|---+---|\n| Name | Phone |\n|---+---|\n| Jane | 555 |\n", "a.org")) == [
        "Name: Jane; Phone: 555"
    ]


@pytest.mark.parametrize(
    "unit", ["* ", "[[", "*a ", "#+begin_src\n", ":a:\n", "#+begin_quote\n", "|", "- ", "<2024-", "[fn:"]
)
def test_hostile_lines_take_no_time(unit: str) -> None:
    assert document("org", f"word\n{unit * 20_000}", "a.org").blocks
