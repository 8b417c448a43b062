"""Names of files that every system takes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.system.printing.safe_names import LONGEST, LONGEST_BYTES, SafeNames, safe_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The hotel in Porto", "The hotel in Porto"),
        ("../../etc/passwd", "etc passwd"),
        ("con", "_con"),
        ("LPT1.old", "_LPT1.old"),
        ("console", "console"),
        ("a|b#c^d[[e]]", "a b c d e"),
        (" .hidden. ", "hidden"),
        ("\x1b[31mred", "31mred"),
        ("///", "otherwise"),
        ("", "otherwise"),
        ("e\u0301", "\u00e9"),
    ],
)
def test_names(text: str, name: str) -> None:
    assert safe_name(text, "otherwise") == name


@given(st.lists(st.text(), max_size=20))
def test_no_two_are_the_same_on_any_file_system(texts: list[str]) -> None:
    names = SafeNames("unnamed")
    made = [names.new(text) for text in texts]
    assert len({unicodedata.normalize("NFD", name).casefold() for name in made}) == len(texts)
    for name in made:
        assert name == name.strip(" .") != ""
        assert not set(name) & set('/\\:*?"<>|#^[]\0\n')
        assert len(name) <= LONGEST + 4 and len(name.encode()) <= LONGEST_BYTES + 4


def test_the_second_of_a_name_gets_a_number() -> None:
    names = SafeNames("unnamed")
    assert [names.new(text) for text in ("Oslo", "OSLO", "oslo", "?")] == ["Oslo", "OSLO 2", "oslo 3", "unnamed"]
