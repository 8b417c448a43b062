"""Names that may be one, as they are offered: by their letters and by their contexts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import scipy.sparse as sp

from noderag_local.extraction.same_names.name_guesses import Guess, NameContexts, guesses
from noderag_local.extraction.same_names.name_variants import Rule, ShortNameEvidence

NO_EVIDENCE = ShortNameEvidence()


def offered(
    sentences: Sequence[Collection[str]], evidence: ShortNameEvidence = NO_EVIDENCE
) -> dict[tuple[str, str], Guess]:
    """The guesses about the names that some sentences name; what is said of a name is told by its sentences alone."""
    keys = sorted({key for names in sentences for key in names})
    mentions = np.array([[key in names for key in keys] for names in sentences], dtype=np.float32)
    vectors = mentions.T @ (mentions @ mentions.T)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = guesses(keys, NameContexts(sp.csr_matrix(mentions), vectors), evidence)
    return {(keys[one.first], keys[one.second]): one for one in found}


def test_a_typing_error_is_offered_with_what_stands_beside_both() -> None:
    told = offered([("katalina weber", "graz", "anna"), ("katarina weber", "graz", "anna"), ("graz",)])
    guess = told["katalina weber", "katarina weber"]
    assert guess.rule is Rule.TYPING
    assert len(guess.shared) == 2


def test_names_in_other_company_are_not_offered() -> None:
    told = offered([("mario weber", "graz"), ("maria weber", "oslo"), ("graz",), ("oslo",)])
    assert told == {}


def test_full_names_that_sound_alike_are_offered_in_any_company() -> None:
    alike = {("marta hofmann", "martha hofmann"), ("oscar demir", "oskar demir"), ("ada hoffmann", "ada hofmann")}
    others = {("maria lang", "mario lang"), ("catherine", "katherine")}
    towns = iter("abcdefghij")
    assert set(offered([(name, next(towns)) for pair in sorted(alike | others) for name in pair])) == alike


def test_company_does_not_make_other_words_typing_errors() -> None:
    beside = ("graz", "anna", "ben")
    pairs = [
        ("mongolia", "mongolian"),
        ("super bowl xxxii", "super bowl xxxvii"),
        ("boeing 747 plane", "boeing 757 plane"),
        ("jon anderson", "jan anderson"),
        ("catherine", "katherine"),
    ]
    assert offered([(name, *beside) for pair in pairs for name in pair]) == {}


def test_initials_plurals_and_joined_words_are_offered() -> None:
    beside = ("graz", "anna", "ben")
    names = [
        "harry s truman",
        "harry truman",
        "j costa",
        "john costa",
        "comanche",
        "comanches",
        "south east",
        "southeast",
    ]
    told = offered([(name, *beside) for name in names])
    assert [guess.rule for guess in told.values() if guess.rule is Rule.INITIALS] == [Rule.INITIALS] * 2
    assert told["comanche", "comanches"].rule is Rule.PLURAL
    assert told["south east", "southeast"].rule is Rule.SPELLING


def test_what_a_text_says_is_worth_more_than_letters() -> None:
    sentences = [("who", "graz"), ("world health organization", "oslo"), ("world heritage office", "oslo")]
    pair = ("who", "world health organization")
    assert list(offered(sentences, ShortNameEvidence({pair}, {"who"}))) == [pair]
    assert offered(sentences) == {}


def test_names_that_are_left_out_are_not_compared() -> None:
    contexts = NameContexts(sp.csr_matrix(np.ones((1, 2), np.float32)), np.ones((2, 1), np.float32))
    assert guesses(["", "katharina weber"], contexts, NO_EVIDENCE) == []
