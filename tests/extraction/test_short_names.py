"""Short names beside long ones."""

from noderag_local.extraction.rules.document_reading import longer_names


def test_a_surname_means_the_person_of_the_document() -> None:
    assert longer_names(["christopher cross", "cross", "texas"]) == {"cross": "christopher cross"}


def test_first_names_too_and_the_first_long_name_wins() -> None:
    assert longer_names(["anna", "anna berg", "anna klein"]) == {"anna": "anna berg"}


def test_the_middle_of_a_name_is_not_short_for_it() -> None:
    assert longer_names(["duke of york", "of"]) == {}


def test_numbers_are_never_resolved() -> None:
    assert longer_names(["1957", "16 june 1957"]) == {}
