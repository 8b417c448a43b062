"""Excerpts of passages as the lists of a search show them."""

from __future__ import annotations

from noderag_local.system.printing.excerpt import LONGEST, excerpt


def test_a_heading_and_rows_do_not_run_into_the_sentence_after_them() -> None:
    assert excerpt("How we met\nMarta met Jonas in Ghent.\nThey\n talked.") == (
        "How we met · Marta met Jonas in Ghent. They · talked."
    )
    assert excerpt("Birthday: 14 March\n\nBrother:\nRui\n") == "Birthday: 14 March · Brother: Rui"


def test_a_long_passage_ends_at_a_word_and_says_so() -> None:
    short = excerpt("word " * 200)
    assert len(short) <= LONGEST
    assert short.endswith("word …")
