"""Markdown that does nothing: shown by a parser that knows every kind of link."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from noderag_local.system.printing.markdown_text import code, file_link, harmless, one_line

PIECES = [
    "[a]",
    "(http://e.org)",
    "![",
    "]",
    "(",
    ")",
    "<",
    ">",
    ": ",
    "http://e.org",
    "www.e.org",
    "\n",
    "[a]: ",
    "a",
    "\\",
    "<!--",
]


def kinds(markdown: str) -> set[str]:
    return {
        child.type for token in MarkdownIt("commonmark").parse(markdown) for child in (token, *(token.children or ()))
    }


@example("\\<!-->")
@example("\\\\<img>")
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_nothing_is_left_to_fetch_or_click(text: str) -> None:
    assert not kinds(harmless(text)) & {"link_open", "image", "html_inline", "html_block"}


@pytest.mark.parametrize("text", ["see http://e.org", "see https://e.org", "see www.e.org"])
def test_addresses_are_no_links_of_their_own_and_read_the_same(text: str) -> None:
    shown = harmless(text)
    assert "://" not in shown and "www." not in shown
    assert MarkdownIt("commonmark").render(shown) == f"<p>{text}</p>\n"


def test_one_line_and_no_controls() -> None:
    assert one_line("a\n\n# b \x1b[0m") == "a # b [0m"


def test_code_and_links_of_our_own_hold_any_path() -> None:
    assert code("a`b\nc") == "`a'b c`"
    link = file_link("a]b, page 3", "/notes/a b)>[c].md")
    assert link == r"[a\]b, page 3](<file:///notes/a%20b%29%3E%5Bc%5D%2Emd>)"
