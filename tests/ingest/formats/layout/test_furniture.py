"""Running heads, page numbers and lists of contents."""

from __future__ import annotations

from noderag_local.ingest.formats.pdf.page_furniture import without_contents, without_furniture
from noderag_local.ingest.formats.pdf.text_piece import Line, TextPiece

HEIGHT = 800.0


def line(text: str, baseline: float, page: int, size: float = 10.0) -> Line:
    return Line((TextPiece(text, 50, 50 + 5 * len(text), baseline, size),), page)


def shown(pages: list[list[Line]]) -> list[list[str]]:
    return [[one.text for one in page] for page in without_furniture([(HEIGHT, page) for page in pages])]


def test_what_stands_at_the_same_height_of_many_pages_goes() -> None:
    pages = [
        [
            line("The Orchard Book", 30, page, 8),
            line(f"Text of page {page}", 400, page),
            line(f"– {page} –", 770, page, 8),
        ]
        for page in range(1, 6)
    ]
    assert shown(pages) == [[f"Text of page {page}"] for page in range(1, 6)]


def test_the_name_of_a_short_chapter_goes_too() -> None:
    heads = ["One", "One", "One", "Two", "Three"]
    pages = [[line(head, 30, page, 8), line("Text", 400, page)] for page, head in enumerate(heads, start=1)]
    assert shown(pages) == [["Text"]] * 5


def test_lines_that_repeat_in_the_text_stay() -> None:
    pages = [[line("Amount due", 300 + page, page)] for page in range(1, 6)]
    assert shown(pages) == [["Amount due"]] * 5


def test_a_year_at_the_foot_of_a_page_is_no_page_number() -> None:
    assert shown([[line("Text", 400, 1), line("1874", 770, 1)]]) == [["Text", "1874"]]


def test_entries_of_a_list_of_contents_go() -> None:
    entries = [line(f"{number}.1 Part . . . . . . . . {number}", 100 + 12 * number, 1) for number in range(1, 6)]
    page = [line("Contents", 80, 1), line("3 The press 12", 90, 1), *entries]
    assert [one.text for one in without_contents(page)] == ["Contents"]
