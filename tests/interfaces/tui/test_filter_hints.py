"""Completing a filter of a search."""

from __future__ import annotations

import pytest

from noderag_local.interfaces.tui.search.filter_hints import FilterChoices, filter_hints
from noderag_local.retrieval.scope import ScopeChoices
from noderag_local.retrieval.search_line import read_search_line

FOLDERS = ("/n", "/n/my trips", "/n/household", "/n/trips")
CHOICES = FilterChoices(ScopeChoices(FOLDERS, ("travel", "friends"), 9), ("md", "pdf"))


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("rent folder:hou", ["rent folder:n/household "]),
        ("folder:tr", ['folder:"n/my trips" ', "folder:n/trips "]),
        ('folder:"my', ['folder:"n/my trips" ']),
        ("tag:", ["tag:travel ", "tag:friends "]),
        ("#fr", ["tag:friends "]),
        ("kind:", ["kind:md ", "kind:pdf "]),
        ("kind:md", []),
        ("kind:x", []),
        ("rent", []),
        ("folder:trips ", []),
    ],
)
def test_tab_completes_what_the_vault_has(line: str, completed: list[str]) -> None:
    hints = filter_hints(line, CHOICES)
    assert [hint.line for hint in hints] == completed
    for hint in hints:
        read_search_line(hint.line)


def test_days_are_offered_for_each_filter_of_time() -> None:
    for key in ("after", "before", "since", "until"):
        assert all(read_search_line(hint.line).has_filters for hint in filter_hints(f"{key}:", CHOICES))


def test_folders_of_several_roots_are_named_in_full() -> None:
    choices = FilterChoices(ScopeChoices(("/a/notes", "/b/notes"), (), 2), ())
    assert [hint.line for hint in filter_hints("folder:b/", choices)] == ["folder:/b/notes "]


def test_a_name_that_no_field_can_show_is_not_offered() -> None:
    choices = FilterChoices(ScopeChoices(("/n", "/n/\x1b[31mred", "/n/\u202eexe"), ("a\u200bb",), 2), ())
    assert [hint.shown for hint in filter_hints("folder:", choices)] == ["n"]
    assert filter_hints("tag:", choices) == []
