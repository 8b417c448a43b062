"""Blocks of plain text."""

from __future__ import annotations

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.text.plain import blocks, by_message


def found(text: str) -> list[tuple[BlockKind, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks(text)]


def test_blank_lines_part_paragraphs() -> None:
    assert [text for _, text in found("one\ntwo\n \n\nthree\n")] == ["one\ntwo", "three"]


def test_list_items() -> None:
    assert found("Things:\n- a\n  more\n- b\n") == [
        (BlockKind.PARAGRAPH, "Things:"),
        (BlockKind.LIST_ITEM, "- a\n  more"),
        (BlockKind.LIST_ITEM, "- b"),
    ]


def test_wrapped_prose_is_one_block() -> None:
    text = "This is a text that some editor\nwrapped at a width of thirty-two\ncolumns. It has Three lines and\nends."
    assert len(found(text)) == 1


def test_a_list_of_names_is_a_block_a_line() -> None:
    assert [text for _, text in found("Ada Lovelace\nGrace Hopper\nAlan Turing\nEdsger Wybe Dijkstra\n")] == [
        "Ada Lovelace",
        "Grace Hopper",
        "Alan Turing",
        "Edsger Wybe Dijkstra",
    ]


def test_a_number_that_starts_a_line_of_prose_is_no_list() -> None:
    assert len(found("He was born in\n1950. Then he\nleft for good.")) == 1


def test_each_message_of_a_chat_is_a_block_whatever_its_length() -> None:
    messages = [
        "[07.05.23, 13:56] Anna: Ich habe letzte Woche mein Fahrrad verkauft, und der Klempner war auch da.",
        "[09.05.23, 08:10] Ben: Oje!",
        "2023-05-10 08:15 - Anna: Bis morgen",
    ]
    text = "\n".join(messages)
    parts = [part for block in blocks(text) for part in by_message(text, block)]
    assert [text[part.start : part.end] for part in parts] == messages
