"""No pattern of the package takes more than its length for a text, whatever the text: notes, questions and answers are all texts."""

from __future__ import annotations

import sys

import pytest
from hostile.patterns import Worst, all_patterns, run, seconds, slowness, text_of, worse_than_linear

from noderag_local.generation.citing.markers import LONGEST_ABBREVIATION
from noderag_local.ingest.formats.code.code_braces import MAX_HEADER_CHARACTERS

BOUNDED = {
    "noderag_local.generation.citing.markers._ABBREVIATION": LONGEST_ABBREVIATION,
    "noderag_local.ingest.formats.code.code_braces._IMPLEMENTATION": MAX_HEADER_CHARACTERS,
    "noderag_local.ingest.formats.code.code_braces._CALLED": MAX_HEADER_CHARACTERS,
}
"""Patterns that are not linear, and how much text they are ever given."""
BOUNDED_SECONDS = 0.02
MADE_WHILE_RUNNING = {
    "noderag_local.aggregation.open_stretches": "of our own phrases, word for word",
    "noderag_local.aggregation.parts_of_months": "of names of months, word for word",
    "noderag_local.aggregation.question_phrases": "of our own phrases, word for word",
    "noderag_local.aggregation.rolling_stretches": "of our own phrases, word for word",
    "noderag_local.aggregation.spoken": "of our own phrases, word for word",
    "noderag_local.aggregation.tense": "our own, for whole words of a question",
    "noderag_local.aggregation.usual.named_slots": "of a name, word for word",
    "noderag_local.evaluation.answer_marks": "of a name, letter for letter",
    "noderag_local.evaluation.injections": "of our own cases",
    "noderag_local.generation.answer_spans": "of a span, word for word",
    "noderag_local.generation.table_answers.query_repair": "of names of columns, word for word",
    "noderag_local.generation.table_answers.query_writing": "of names of columns, word for word",
    "noderag_local.generation.told_times": "of a day, letter for letter",
    "noderag_local.generation.variation": "of a name, word for word",
    "noderag_local.ingest.scan.ignore_rules": "of rules; see test_ignore_rules.py",
    "noderag_local.models.llm.server.written_weighing": "of a few answers, letter for letter",
    "noderag_local.retrieval.packing.whole_words": "of a title or heading, letter for letter",
    "noderag_local.text.keywords": "by a function that is called here",
    "noderag_local.system.disk.private_files": "of the name of a file, letter for letter",
}

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="its clock of a thread ticks too slowly; the patterns are the same"
)


def test_every_pattern_is_linear() -> None:
    found, made_while_running = all_patterns()
    assert len(found) > 300
    assert {place.partition(":")[0] for place in made_while_running} == MADE_WHILE_RUNNING.keys()
    slow = {
        one.places[0]: worse for one in found if not BOUNDED.keys() & one.places and (worse := worse_than_linear(one))
    }
    assert slow == {}


def test_patterns_of_bounded_texts_are_quick_on_these() -> None:
    found, _ = all_patterns()
    bounded = [(one, BOUNDED[place]) for one in found for place in one.places if place in BOUNDED]
    assert len(bounded) == len(BOUNDED)
    for one, bound in bounded:
        for before, repeated in Worst(one.pattern).pumped():
            action = run(one, text_of(before, repeated, "", bound))
            assert any(seconds(action) < BOUNDED_SECONDS * slowness() for _ in range(5))
