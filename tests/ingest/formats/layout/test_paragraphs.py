"""Where one paragraph ends and the next begins, and what is a heading, from lines at places."""

from __future__ import annotations

from dataclasses import replace

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.pdf.page_columns import reading_order
from noderag_local.ingest.formats.pdf.paragraphs import Paragraph, paragraphs_of
from noderag_local.ingest.formats.pdf.text_piece import Line, TextPiece

FULL = "and so the text goes on to the end of the line"


def line(text: str, baseline: float, *, left: float = 50, size: float = 10, page: int = 1, **font: bool) -> Line:
    return Line((TextPiece(text, left, left + 0.5 * size * len(text), baseline, size, **font),), page)


def blocks(*lines: Line) -> list[tuple[BlockKind, str]]:
    return [(block.kind, block.text) for block in read(*lines)]


def read(*lines: Line) -> list[Paragraph]:
    pages = sorted({one.page for one in lines})
    return paragraphs_of([[one for one in lines if one.page == page] for page in pages])


def texts(*lines: Line) -> list[str]:
    return [text for _, text in blocks(*lines)]


def test_lines_at_the_usual_distance_are_one_paragraph() -> None:
    assert texts(line(FULL, 100), line(FULL, 112), line("of it.", 124)) == [f"{FULL} {FULL} of it."]


def test_a_wider_gap_ends_a_paragraph() -> None:
    assert len(texts(line(FULL, 100), line(FULL, 112), line(FULL, 132), line(FULL, 144))) == 2


def test_an_indented_line_begins_a_paragraph() -> None:
    assert len(texts(line(FULL, 100), line(FULL, 112), line(FULL[4:], 124, left=60), line(FULL, 136))) == 2


def test_a_sentence_that_leaves_room_for_the_next_word_ends_a_paragraph() -> None:
    assert len(texts(line(FULL, 100), line("It ends.", 112), line(FULL, 124), line(FULL, 136))) == 2


def test_a_sentence_that_ends_before_a_long_word_does_not() -> None:
    ended = FULL[:38] + " it."
    assert len(texts(line(FULL, 100), line(ended, 112), line("Incomprehensibility goes on and on", 124))) == 1


def test_larger_lines_are_headings_and_two_of_them_one() -> None:
    said = blocks(
        line("The orchard and", 60, size=16), line("its people", 78, size=16), line(FULL, 110), line(FULL, 122)
    )
    assert said[0] == (BlockKind.HEADING, "The orchard and its people")
    assert said[1][0] is BlockKind.PARAGRAPH


def test_a_bold_line_is_a_heading_and_a_bold_sentence_is_not() -> None:
    said = blocks(
        line("The press", 80, is_bold=True), line(FULL, 100), line(FULL, 112), line("Mind the step.", 140, is_bold=True)
    )
    assert [kind for kind, _ in said] == [BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.PARAGRAPH]


def test_each_mark_begins_an_item_and_what_hangs_below_belongs_to_it() -> None:
    said = blocks(
        line(f"• {FULL}", 100), line("to the item.", 112, left=60), line("• second", 124), line("2. third", 136)
    )
    assert said == [
        (BlockKind.LIST_ITEM, f"{FULL} to the item."),
        (BlockKind.LIST_ITEM, "second"),
        (BlockKind.LIST_ITEM, "2. third"),
    ]


def test_program_text_keeps_lines_and_indentation() -> None:
    lines = (line("if ripe:", 100, is_fixed=True), line("pick()", 112, left=70, is_fixed=True))
    assert blocks(line(FULL, 60), line(FULL, 72), *lines)[1] == (BlockKind.CODE, "if ripe:\n    pick()")


def test_a_paragraph_runs_on_over_the_page_and_stands_where_it_starts() -> None:
    (whole, note) = read(line(FULL, 100), line(FULL, 112), line("1 A note.", 700, size=8), line("goes on.", 60, page=2))
    assert (whole.text, whole.page) == (f"{FULL} {FULL} goes on.", 1)
    assert note.text == "1 A note."


def test_text_across_the_page_does_not_change_where_columns_end() -> None:
    across = [TextPiece("An abstract over the whole page.", 50, 450, 60, 10.0)]
    left = [
        TextPiece(
            "A sentence ends here now." if row == 3 else "it goes on and on all the", 50, 240, 100 + 12 * row, 10.0
        )
        for row in range(8)
    ]
    right = [replace(piece, left=260, right=450) for piece in left]
    found = paragraphs_of([reading_order(across + left + right, 1)])
    assert [block.text.count("ends here") for block in found] == [0, 2]
