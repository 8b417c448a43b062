"""A question in unusual words is put into the usual ones by its meaning, or left as it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.usual import usual_forms
from noderag_local.aggregation.usual.usual_forms import usual_form
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot

TODAY = date(2026, 6, 20)


@pytest.fixture(scope="module")
def entries(year: Path) -> Iterator[Entries]:
    with Store.open(year, write=False) as store:
        yield Entries(store, Snapshot.open(store).words)


@pytest.fixture(scope="module")
def encoder() -> QuestionEncoder:
    return QuestionEncoder()


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Could you dig out for me which town Ilse Hagen hails from nowadays?", "Where does Ilse Hagen live?"),
        ("what must never end up on the plate of Ilse Hagen?", "What is Ilse Hagen allergic to?"),
        ("How does Ilse make her living?", "What is Ilse Hagen's job?"),
        ("Who's hogging my copy of Salt Roads?", "Who has Salt Roads now?"),
        ("Some kind soul talked me into Kiln. Who?", "Who recommended Kiln to me?"),
        ("The one who borrowed Kiln, what outfit gives her a pay slip?", "Where does the person work to whom I lent Kiln?"),
        ("Weir, by when do we have to be through with it, after all that shuffling?", "What is the deadline of project Weir now?"),
        ("Whose names are on the crew list of Weir?", "Who works on project Weir?"),
        ("On which date did I set foot in Tarvisio?", "When did I arrive in Tarvisio?"),
        ("Salt Roads and The Long Dune: with which was I through sooner?", "Which did I finish first, Salt Roads or The Long Dune?"),
        ("There are leeks in the fridge, which of my dishes take them?", "Which of my recipes use leeks?"),
        ("Tell me the number of times I got to go swimming during March 2026", "How often did I go swimming in March 2026?"),
        ("What's been my total outlay at Eisen Ott?", "How much did I spend at Eisen Ott in total?"),
    ],
)  # fmt: skip
def test_a_question_gets_the_usual_words_for_what_it_means(
    entries: Entries, encoder: QuestionEncoder, question: str, plain: str
) -> None:
    assert usual_form(question, entries, encoder.encode_all, TODAY) == plain


@pytest.mark.parametrize(
    "question",
    [
        "Which ring size should I order for Ilse Hagen?",
        "What did Ilse Hagen think of the speech?",
        "How did the last pages of Kiln strike me?",
        "What were they asking for a bed in Tarvisio?",
        "Who wrote Salt Roads?",
        "Who has never recommended Kiln to me?",
        "Did Ilse Hagen meet Ada Moll before the flood?",
        "Why was the boat sold?",
        "Wo wohnt Ilse Hagen heute eigentlich?",
    ],
)
def test_a_question_that_asks_something_else_keeps_its_words(
    entries: Entries, encoder: QuestionEncoder, question: str
) -> None:
    assert usual_form(question, entries, encoder.encode_all, TODAY) == ""


def test_the_stored_vectors_are_those_of_the_examples(encoder: QuestionEncoder) -> None:
    stored = usual_forms._example_vectors()
    examples = usual_forms.examples()
    assert stored.shape == (len(examples), encoder.dim), "run scripts/usual_forms.py"
    some = range(0, len(examples), 9)
    anew = encoder.encode_all([examples[at].text for at in some])
    assert np.einsum("ij,ij->i", stored[list(some)], anew).min() > 0.999, "run scripts/usual_forms.py"


def test_every_form_has_several_ways_to_be_asked() -> None:
    ways: dict[str, int] = {}
    for example in usual_forms.examples():
        ways[example.plain] = ways.get(example.plain, 0) + 1
    assert min(ways.values()) >= 3
