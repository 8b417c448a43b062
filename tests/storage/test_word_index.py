"""The index of words finds what reading all sentences would find, and follows changes."""

from __future__ import annotations

from dataclasses import fields
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.storage.documents.texts import SentenceInPlace
from noderag_local.storage.snapshots import word_index
from noderag_local.storage.snapshots.word_index import WordIndex
from noderag_local.text.dates.dates_in_text import SaidDate, said_dates
from noderag_local.text.stems import stems

WORDS = ["boat", "sails", "sailing", "harbour", "Anna", "租房合同", "Mietvertrag", "the", "yesterday", ""]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
TEXTS = st.dictionaries(st.integers(1, 10**10), SENTENCES, max_size=12)


def of(texts: dict[int, str]) -> WordIndex:
    return WordIndex.of_sentences(
        SentenceInPlace(number, 1, "/2023-05-08.md", "", (), texts[number]) for number in sorted(texts)
    )


def same(mine: WordIndex, its: WordIndex) -> bool:
    pairs = ((getattr(mine, field.name), getattr(its, field.name)) for field in fields(WordIndex))
    return all(left.dtype == right.dtype and np.array_equal(left, right) for left, right in pairs)


@given(texts=TEXTS)
def test_it_finds_every_sentence_with_a_stem(texts: dict[int, str]) -> None:
    index = of(texts)
    for word in {stem for text in texts.values() for stem in stems(text)}:
        expected = sorted(number for number, text in texts.items() if word in stems(text))
        assert index.sentences_with([word]).tolist() == expected
    assert index.sentences_with(["zeppelin"]).tolist() == []


@given(before=TEXTS, changed=TEXTS, gone=st.sets(st.integers(1, 10**10)))
def test_a_change_gives_the_same_as_making_it_anew(
    before: dict[int, str], changed: dict[int, str], gone: set[int]
) -> None:
    gone |= set(list(before)[::2]) - set(changed)
    after = {number: text for number, text in (before | changed).items() if number not in gone - set(changed)}
    moved = np.array(sorted(gone | set(changed)), np.int64)
    assert same(of(before).changed(moved, of(changed)), of(after))


def test_several_stems_give_every_sentence_once() -> None:
    index = of({1: "boat sails", 2: "sails", 3: "harbour"})
    assert index.sentences_with(stems("boat sails")).tolist() == [1, 2]


def test_a_sentence_is_found_by_the_days_that_it_means() -> None:
    diary = [
        SentenceInPlace(1, 1, "/2023-05-08.md", "", (), "We went to the lake yesterday."),
        SentenceInPlace(2, 1, "/2023-05-08.md", "", (), "It rained."),
        SentenceInPlace(3, 2, "/trips.md", "", (), "Am 7. Mai 2023 waren wir am See."),
    ]
    index = WordIndex.of_sentences(diary)
    assert index.sentences_with(["=2023-05-07"]).tolist() == [1, 3]
    assert index.sentences_with(["@2023-05-08"]).tolist() == [1, 2]
    assert [index.day_of(number) for number in (1, 2, 3)] == [date(2023, 5, 8), None, None]


def test_a_bug_in_reading_one_document_costs_its_words_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(text: str, day: date | None) -> list[SaidDate]:
        if "zeppelin" in text:
            raise KeyError("month")
        return said_dates(text, day)

    monkeypatch.setattr(word_index, "said_dates", failing)
    texts = {1: "A boat.", 2: "The zeppelin.", 3: "A boat by the zeppelin.", 4: "Another boat."}
    index = WordIndex.of_sentences(
        SentenceInPlace(number, number if number != 3 else 2, "/2023-05-08.md", "", (), text)
        for number, text in texts.items()
    )
    assert index.sentences_with(["boat"]).tolist() == [1, 4]
    assert index.sentences_with(["zeppelin"]).tolist() == []
    assert "document 2: its words are not indexed: KeyError" in caplog.text
