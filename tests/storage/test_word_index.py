"""The index of words finds what reading all sentences would find, and follows changes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.storage.snapshots.word_index import WordIndex
from noderag_local.text.stems import stems

WORDS = ["boat", "sails", "sailing", "harbour", "Anna", "租房合同", "Mietvertrag", "the", ""]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
TEXTS = st.dictionaries(st.integers(1, 10**10), SENTENCES, max_size=12)


def of(texts: dict[int, str]) -> WordIndex:
    ids = sorted(texts)
    return WordIndex.of_texts(ids, [texts[number] for number in ids])


def same(mine: WordIndex, its: WordIndex) -> bool:
    pairs = ((mine.stems, its.stems), (mine.ends, its.ends), (mine.sentences, its.sentences))
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
