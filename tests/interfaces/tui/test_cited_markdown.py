from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.token import Token

from noderag_local.domain.passages import Citation
from noderag_local.interfaces.tui.chat.answers.cited_markdown import UNSUPPORTED, cited_number, marked, parser


def pieces(markdown: str, *, known: tuple[int, ...] = (1, 2)) -> Iterator[Token]:
    for token in parser(known, tables=True).parse(markdown):
        yield token
        yield from token.children or ()


def addresses(markdown: str) -> list[object]:
    return [piece.attrs[name] for piece in pieces(markdown) for name in ("href", "src") if name in piece.attrs]


def shown(markdown: str) -> str:
    return "".join(piece.content for piece in pieces(markdown) if piece.type == "text")


def test_a_citation_is_a_link_of_our_own() -> None:
    assert addresses("The lease ends in May [1][2].") == ["source:1", "source:2"]
    assert shown("The lease ends in May [1][2].") == "The lease ends in May [1][2]."


def test_each_line_of_an_answer_stays_a_line() -> None:
    kinds = [piece.type for piece in pieces("Radio Antena Norte [1]\nU. Nova [2]")]
    assert "hardbreak" in kinds and "softbreak" not in kinds


def test_a_number_without_a_source_is_text() -> None:
    assert addresses("See [9] and [12345].") == []


@pytest.mark.parametrize(
    "hostile",
    [
        "[click](http://evil.example)",
        "![picture](file:///etc/passwd)",
        "<http://evil.example>",
        "<a href='http://evil.example'>x</a>",
        "[1](source:2)",
        "[x]: http://evil.example\n\n[x]",
        "&#8238;txt",
    ],
)
def test_nothing_else_is_a_link_or_html_and_it_is_shown_as_it_was_written(hostile: str) -> None:
    assert set(addresses(hostile)) <= {"source:1"}
    assert {"image", "html_inline", "html_block"}.isdisjoint({piece.type for piece in pieces(hostile)})
    assert hostile.replace("\n", "") in shown(hostile)


@given(st.text(alphabet=st.sampled_from("[]()!<>&#1234:/*_`|-\n abz\\"), max_size=60))
def test_no_text_makes_an_address_that_is_not_a_source(text: str) -> None:
    assert {cited_number(str(address)) for address in addresses(text)} <= {1, 2}


@pytest.mark.parametrize("address", ["http://evil.example", "source:", "source:-1", "source:x", "xsource:1", "1"])
def test_other_addresses_lead_to_no_source(address: str) -> None:
    assert cited_number(address) is None


def test_what_no_source_supports_is_told_in_words() -> None:
    held = Citation("It ends in May.", (1,), True, False, " ")
    doubtful = Citation("The moon is cheese.", (), False, False, "\n")
    assert marked([held, doubtful], quoted=False) == f"It ends in May. [1] The moon is cheese.{UNSUPPORTED}"


def test_code_keeps_its_lines_as_they_are() -> None:
    code = [Citation(line, (), False, False, "\n") for line in ("```", "print(1)", "```")]
    assert marked(code, quoted=False).splitlines()[1] == "print(1)"


def test_passages_are_no_markdown() -> None:
    quote = Citation("# *not* a heading [x](y) `code`", (1,), True, False, "\n")
    assert shown(marked([quote, quote], quoted=True)) == "# *not* a heading [x](y) `code` [1]" * 2
