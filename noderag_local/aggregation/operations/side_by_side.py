"""Puts beside each other what two notes say of themselves: "What is the difference between the Heron and the Egret?"."""

from __future__ import annotations

from itertools import islice

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.plan import Plan
from noderag_local.domain.documents import BlockKind
from noderag_local.text.stems import all_stems

FIRST_SENTENCES = 4
"""Sentences of each note that are quoted: the first ones of a note say what it is about."""


def side_by_side(plan: Plan, entries: Entries) -> Computed | None:
    """Quotes the first sentences of the two notes that a question compares as a whole.

    Nothing if it asks for something else of the two: "What is the difference in price between the Heron and the Egret?".
    """
    titles = entries.titles_in(plan.words)
    if len(titles) != 2:
        return None
    named = all_stems(" ".join((*titles, *plan.phrases.single("generic"), *plan.phrases.single("difference"))))
    if any(not stems & named for _, stems in plan.wanted):
        return None
    found = [(title, _first_sentences(title, entries)) for title in titles]
    if not all(told for _, told in found):
        return None
    parts = tuple(
        AnswerPart(f"{title}: {' '.join(one.sentence.text.strip() for one in told)}", tuple(told))
        for title, told in found
    )
    return Computed(parts, "The beginnings of both notes, beside each other; the notes have more.")


def _first_sentences(title: str, entries: Entries) -> list[NoteEntry]:
    pages = [one.id for one in entries.documents if one.title == title]
    # Two notes with the same title may be about different things.
    told = entries.of_documents(pages) if len(pages) == 1 else []
    return list(islice((one for one in told if one.sentence.kind is not BlockKind.HEADING), FIRST_SENTENCES))
