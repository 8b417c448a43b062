"""A question in unusual words is put into the usual ones by its meaning, or left as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.usual.examples import ENGLISH, MULTILINGUAL, MULTILINGUAL_NAME, SLOT, examples
from noderag_local.aggregation.usual.usual_forms import Meanings, usual_form
from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelMissing
from noderag_local.models.embedding.embedding_model import embedding_model
from noderag_local.models.embedding.opening import EncodeQuestions, question_encoder
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.system.paths import absolute

TODAY = date(2026, 6, 20)


@pytest.fixture(scope="module")
def entries(year: Path) -> Iterator[Entries]:
    with Store.open(year, write=False) as store:
        yield Entries(store, Snapshot.open(store).words)


@pytest.fixture(scope="module")
def encoder() -> QuestionEncoder:
    return QuestionEncoder()


@pytest.fixture(scope="module")
def meanings(encoder: QuestionEncoder) -> Meanings:
    return Meanings(encoder.encode_all, None)


@pytest.fixture(scope="module")
def multilingual() -> EncodeQuestions:
    settings = load_settings()
    try:
        model = embedding_model(MULTILINGUAL_NAME, absolute(settings.models_dir))
    except ModelMissing:
        pytest.skip(f"{MULTILINGUAL_NAME} is not in the models folder: noderag models get {MULTILINGUAL_NAME}")
    return question_encoder(model, settings)


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
    entries: Entries, meanings: Meanings, question: str, plain: str
) -> None:
    assert usual_form(question, entries, meanings, TODAY) == plain


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
    entries: Entries, meanings: Meanings, question: str
) -> None:
    assert usual_form(question, entries, meanings, TODAY) == ""


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Bei welcher Firma ist Ilse Hagen eigentlich angestellt?", "Wo arbeitet Ilse Hagen?"),
        ("Was darf bei Ilse Hagen nie auf den Teller?", "Wogegen ist Ilse Hagen allergisch?"),
        ("Quelle entreprise a embauché Ilse Hagen ?", "Où travaille Ilse Hagen ?"),
        ("¿En qué ciudad tiene su casa Ilse Hagen?", "¿Dónde vive Ilse Hagen?"),
        ("¿Para cuándo tenemos que entregar lo de Weir?", "¿Cuál es ahora la fecha límite de Weir?"),
    ],
)
def test_a_question_in_another_language_gets_the_usual_words_of_that_language(
    entries: Entries, meanings: Meanings, multilingual: EncodeQuestions, question: str, plain: str
) -> None:
    assert usual_form(question, entries, replace(meanings, multilingual=multilingual), TODAY) == plain


@pytest.mark.parametrize(
    "question",
    [
        "Welche Schuhgröße hat Ilse Hagen?",
        "Wie fand ich den Schluss von Kiln?",
        "Warum arbeitet Ilse Hagen nicht mehr?",
        "Combien coûtait la nuit à Tarvisio ?",
        "¿Qué talla de zapato usa Ilse Hagen?",
    ],
)
def test_another_language_may_ask_something_else_too(
    entries: Entries, meanings: Meanings, multilingual: EncodeQuestions, question: str
) -> None:
    assert usual_form(question, entries, replace(meanings, multilingual=multilingual), TODAY) == ""


def test_without_a_multilingual_model_only_english_questions_are_compared(entries: Entries, meanings: Meanings) -> None:
    assert usual_form("Bei welcher Firma ist Ilse Hagen eigentlich angestellt?", entries, meanings, TODAY) == ""


def test_the_stored_vectors_are_those_of_the_examples(encoder: QuestionEncoder) -> None:
    _are_stored(ENGLISH.vectors(), encoder.encode_all)


def test_so_are_the_multilingual_ones(multilingual: EncodeQuestions) -> None:
    _are_stored(MULTILINGUAL.vectors(), multilingual)


def _are_stored(stored: NDArray[np.float32], encode: EncodeQuestions) -> None:
    assert len(stored) == len(examples()), "run scripts/usual_forms.py"
    some = range(0, len(stored), 9)
    anew = encode([examples()[at].text for at in some])
    assert np.einsum("ij,ij->i", stored[list(some)], anew).min() > 0.999, "run scripts/usual_forms.py"


def test_every_form_has_several_ways_to_be_asked() -> None:
    ways: dict[str, int] = {}
    for example in examples():
        ways[example.name] = ways.get(example.name, 0) + 1
    assert min(ways.values()) >= 3


def test_the_plain_words_of_every_language_have_the_same_slots() -> None:
    for example in examples():
        assert {frozenset(SLOT.findall(plain)) for plain in example.form.values()} <= {example.slots}
