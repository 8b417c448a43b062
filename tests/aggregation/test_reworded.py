"""Which questions are put into other words, and which other words are trusted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.reworded import asks_the_same, is_worth_rewording
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot

TODAY = date(2026, 11, 26)


@pytest.fixture(scope="module")
def entries(year: Path) -> Iterator[Entries]:
    with Store.open(year, write=False) as store:
        yield Entries(store, Snapshot.open(store).words)


@pytest.mark.parametrize(
    ("question", "is_for_rules"),
    [
        ("On how many occasions did I engage in rowing?", True),
        ("Of which persons is the crew composed?", True),
        ("Which shrubs have to be given lime?", True),
        ("In what manner does the brother of Ada earn a living?", True),
        ("By which firm is the man employed to whom the drill was lent?", True),
        ("In welcher Stadt wohnt derjenige, dem ich die Leiter lieh?", True),
        ("Ada wants to send me a card, and I have to say to her where it goes to, so where do I live?", True),
        ("How hot must the oven be?", False),
        ("Why was the boat sold?", False),
        ("Wo liegt der Schlüssel?", False),
    ],
)
def test_a_question_that_takes_several_notes_is_worth_rewording(
    entries: Entries, question: str, is_for_rules: bool
) -> None:
    assert is_worth_rewording(question, entries) is is_for_rules


@pytest.mark.parametrize(
    ("question", "reworded"),
    [
        ("On how many occasions, during May 2026, did I engage in rowing?", "How often did I go rowing in May 2026?"),
        ("In what manner does the brother of Ada earn a living?", "What is the job of Ada's brother?"),
        ("who has a key to mum's flat", "Who has a key to Mum's flat?"),
        ("Which of Kiln and Elegie was mastered earlier by me?", "Which did I master first, Kiln or Elegie?"),
        ("What was it that I never paid?", "What did I not pay?"),
        ("It is ages since I saw Ada Lee. Can you say what day it was?", "When did I last see Ada Lee?"),
        ("I went to Lyon, and I can't remember what day I got there.", "When did I arrive in Lyon?"),
    ],
)
def test_other_words_for_the_same_are_trusted(question: str, reworded: str) -> None:
    assert asks_the_same(question, reworded, TODAY)


@pytest.mark.parametrize(
    ("question", "reworded"),
    [
        ("In what profession is the sister of Ada Lee engaged?", "What is the profession of Ada Lee?"),
        ("On how many occasions did Ada and I meet in May 2026?", "How often did we meet in May 2026?"),
        ("What was paid by me for the kiln in May?", "What did I pay for the kiln in March?"),
        ("Which books cost over 20 euros?", "Which books cost over 30 euros?"),
        ("Who has been seen by me since May?", "Who has Otto seen since May?"),
        ("Which books did I not finish?", "Which books did I finish?"),
        ("How did I pass the day before I left for Lyon?", "What did I do before I left for Lyon?"),
        ("What did I do on the day preceding the race?", "What did I do before the race?"),
        ("I can't remember which books I did not finish.", "Which books did I finish?"),
    ],
)
def test_words_that_ask_something_else_are_not(question: str, reworded: str) -> None:
    assert not asks_the_same(question, reworded, TODAY)
