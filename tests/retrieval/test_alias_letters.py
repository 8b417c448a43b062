"""Names with some letters are found as a loop over the names finds them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.retrieval.alias_letters import AliasLetters
from noderag_local.text.stems import without_accents

letters = st.sampled_from("abß 😀\0é")
names = st.lists(st.text(letters, max_size=6), max_size=8)
texts = st.lists(st.text(st.sampled_from("abs😀e"), min_size=1, max_size=2), max_size=3)


@settings(deadline=None)
@given(names, st.lists(texts, max_size=3))
def test_as_a_loop_finds_them(names: list[str], wanted: list[list[str]]) -> None:
    folded = [without_accents(name.casefold()) for name in names]
    found = [at for at, name in enumerate(folded) if all(any(text in name for text in group) for group in wanted)]
    assert AliasLetters(names).with_all(wanted).tolist() == found
