"""What only running heads and feet say."""

from __future__ import annotations

from noderag_local.ingest.formats.pdf.running_lines import lines_said_once
from noderag_local.ingest.formats.pdf.text_piece import Line, TextPiece


def line(text: str, page: int) -> Line:
    return Line((TextPiece(text, 50, 50 + 5 * len(text), 30, 10),), page)


def said(running: list[str], text: str = "Dear Anna, thank you.") -> list[str]:
    """What is kept of the running lines of pages 1, 2 and so on."""
    lines = [line(one, page) for page, one in enumerate(running, start=1)]
    return [one.text for one in lines_said_once(lines, [line(text, 1)])]


def test_what_stands_in_the_head_alone_is_said_once() -> None:
    head = "Muster GmbH, Invoice 2024-117, customer 4711"
    assert said([head, head]) == [head]


def test_each_sum_at_the_foot_of_a_payslip_is_said() -> None:
    feet = ["Net pay: 2013.55 EUR", "Net pay: 2026.55 EUR", "Net pay: 2013.55 EUR"]
    assert said(feet) == feet[:2]


def test_a_head_that_counts_the_pages_is_said_once() -> None:
    assert said(["Lind, page 7 of 9", "Lind, page 8 of 9", "Lind, page 9 of 9"]) == ["Lind, page 7 of 9"]


def test_page_numbers_say_nothing() -> None:
    assert said(["Page 1 of 3", "Page 2 of 3", "Page 3 of 3"]) == said(["– 1 –", "– 2 –"]) == said(["———"]) == []


def test_a_head_that_repeats_the_text_says_nothing() -> None:
    assert said(["3 The press 17", "18 The Press"], "3 The Press.") == []
    assert said(["The Press · Repairs"], "Of the press. The repairs.") == []
    assert said(["Invoice 2024-117"] * 2, "See invoice 2024-118.") == ["Invoice 2024-117"]


def test_numbers_of_thousands_of_digits_are_compared_as_text() -> None:
    assert len(said(["9" * 5_000 + " a", "8" * 5_000 + " a"])) == 2
