"""Answers made of what was computed, with the sources of each line."""

from __future__ import annotations

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.computed_answers import COMPUTED, computed_answer


def found(count: int) -> Retrieval:
    sources = tuple(Source(n, f"/notes/{n}.md", 0, "Note", (), 1, 1, 0, 4, "Text") for n in range(1, count + 1))
    return Retrieval(COMPUTED, "", 1000, "", 0, sources, (), (), 1.0)


def test_a_number_in_brackets_in_a_note_is_no_citation() -> None:
    parts = [("Ana proposed it, see [2] and array[1].", [1]), ("Bo agreed.", [2])]
    answer = computed_answer(parts, found(2), "", short=False)
    assert answer.text == "Ana proposed it, see (2) and array(1). [1]\nBo agreed. [2]"
    assert [(one.text, one.numbers) for one in answer.citations] == [
        ("Ana proposed it, see (2) and array(1).", (1,)),
        ("Bo agreed.", (2,)),
    ]
