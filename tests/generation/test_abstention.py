import pytest

from noderag_local.generation.abstention import SENTENCES, SIGN, is_sign, may_become_sign, sentence
from noderag_local.generation.question_language import NAMES, language_of


@pytest.mark.parametrize(
    "text", [SIGN, "Not in notes.", " \nNOT  IN\nNOTES", "**NOT IN NOTES**", "[NOT IN NOTES]", '"Not in notes"']
)
def test_the_sign_is_known_in_any_dress(text: str) -> None:
    assert is_sign(text)
    assert all(may_become_sign(text[:length]) for length in range(len(text)))


@pytest.mark.parametrize("text", ["Not in Lisbon", "Notes tell it.", "The notes do not tell.", "[1] NOT", "Nothing"])
def test_other_beginnings_are_told_apart(text: str) -> None:
    assert not is_sign(text)
    assert not may_become_sign(text)


def test_every_language_that_we_tell_apart_has_its_sentence() -> None:
    assert SENTENCES.keys() == NAMES.keys()
    assert sentence("xx") == sentence("en") == "Your notes do not tell."


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Who was the first president of the APA?", "en"),
        ("bridge opening date", "en"),
        ("Wer hat den Eiffelturm gebaut?", "de"),
        ("Wie heißt die Hauptstadt von Australien?", "de"),
        ("Où est né Victor Hugo ?", "fr"),
        ("Quel est le prix de la chaudière ?", "fr"),
        ("¿Cuánto cuesta la caldera?", "es"),
        ("¿En qué ciudad vive Ana?", "es"),
        ("Quanto costa la caldaia?", "it"),
        ("Quem construiu a ponte?", "pt"),
        ("Hoeveel kost de ketel?", "nl"),
        ("安娜住在哪里？", "zh"),
        ("橋はいつ開通しましたか?", "ja"),
        ("Кто построил мост?", "ru"),
        ("", "en"),
        ("42?", "en"),
    ],
)
def test_the_language_of_a_question_is_told(question: str, language: str) -> None:
    assert language_of(question) == language
