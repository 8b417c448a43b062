"""The lines of a document's page."""

from __future__ import annotations

from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.explore.document_lines import document_entries
from noderag_local.vault.browsing.document_page import DocumentPage, PageSentence


def sentence(text: str, start: int, place: str) -> PageSentence:
    source = Source(0, "/notes/talk.pptx", 0, "Talk", (), 0, 0, start, start + len(text), text, place=place)
    return PageSentence(source, is_heading=False)


def lines(*sentences: PageSentence) -> list[str]:
    page = DocumentPage(1, "Talk", "/notes/talk.pptx", (), sentences, len(sentences), (), (), ())
    return [str(entry.text).strip() for entry in document_entries(page)][1:]


def test_each_page_or_slide_is_told_once_before_its_text() -> None:
    first = [sentence("We own a press.", 0, "slide 1"), sentence("It is old.", 17, "slide 1")]
    second = [sentence("It cost little.", 29, "slide 2")]
    assert lines(*first, *second) == ["– slide 1 –", "We own a press.", "It is old.", "– slide 2 –", "It cost little."]


def test_rows_of_a_sheet_are_not_told_apart() -> None:
    rows = [sentence("A: 1", 0, "sheet Costs, row 2"), sentence("A: 2", 6, "sheet Costs, row 3")]
    assert lines(*rows) == ["A: 1", "A: 2"]
