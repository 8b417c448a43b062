"""A German or Dutch question finds a note that writes in two words what the question writes in one, or the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.retrieval.default.compounds import parts
from noderag_local.retrieval.default.notes_language import likeliest_language
from noderag_local.retrieval.default.spelling import Vocabulary
from noderag_local.vault.vault import Vault

WORDS: Vocabulary = {
    "b": ["brennholz", "buche"],
    "e": ["erdbeere"],
    "f": ["fahrrad", "fahrradpumpe"],
    "g": ["geburt", "gemuse"],
    "k": ["kuche", "kuchen"],
    "s": ["schlussel", "suppe"],
    "t": ["termin", "tisch"],
    "z": ["zahnarzt"],
}


@pytest.mark.parametrize(
    ("word", "question", "found"),
    [
        ("zahnarzttermine", "Wann sind die Zahnarzttermine?", ["zahnarzt", "termin"]),
        ("fahrradschlüssel", "Wo liegt der Fahrradschlüssel?", ["fahrrad", "schlussel"]),
        ("erdbeerkuchen", "Wer hat den Erdbeerkuchen gebacken?", ["erdbeer", "kuch"]),
        ("pumpe", "Wo ist die Pumpe für das Rad?", ["fahrradpump"]),
        ("zahnarzttermin", "Welchen Zahnarzttermin bekommt Imke?", ["zahnarzt", "termin"]),
        ("küchentisch", "Wo steht der Küchentisch?", ["kuch", "tisch"]),
        ("gemüsesuppe", "Wer hat die Gemüsesuppe gekocht?", ["gemus", "supp"]),
        ("zahnarzttermin", "Zahnarzttermin Imke", ["zahnarzt", "termin"]),
        ("zahnarzttermin", "Zahnarzttermin", ["zahnarzt", "termin"]),
        ("zahnarzttermin", "Wann ist der Zahnarzttermin? " + "Ich weiß es nicht mehr. " * 30, []),
        ("lampe", "Wo ist die Lampe?", []),
        ("zahnarzttermin", "When is the zahnarzttermin due again?", []),
    ],
)
def test_the_parts_of_a_word_that_the_notes_lack(word: str, question: str, found: list[str]) -> None:
    stems = parts(word, question, WORDS, lambda: "de")
    assert len(stems) == len(found)
    assert all(stem in of_part for stem, of_part in zip(found, stems, strict=True))


@pytest.mark.parametrize(("language", "count"), [("de", 2), ("en", 0)])
def test_a_question_without_common_words_is_in_the_language_of_the_notes(language: str, count: int) -> None:
    assert len(parts("zahnarzttermin", "Zahnarzttermin", WORDS, lambda: language)) == count


class Unread(dict[str, list[str]]):
    """A vocabulary that notes what is read of it."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def get(self, letter: str, default: object = None) -> list[str]:  # type: ignore[override]
        self.read.append(letter)
        return []

    def values(self) -> list[list[str]]:  # type: ignore[override]
        self.read.append("all")
        return []


@pytest.mark.parametrize(("language", "read"), [("en", False), ("de", True)])
def test_the_words_are_read_only_for_notes_in_a_language_that_joins_words(language: str, read: bool) -> None:
    words = Unread()
    assert parts("kubernettes", "kubernettes", words, lambda: language) == ()
    assert bool(words.read) == read


@pytest.mark.parametrize(
    ("held", "language"),
    [(["nicht", "eine", "brunnen"], "de"), (["with", "would"], "en"), (["avec", "etait", "dans"], "fr"), ([], "de")],
)
def test_the_language_of_notes_is_that_of_their_common_words(held: list[str], language: str) -> None:
    assert likeliest_language(held) == language


NOTES = {
    "Arzt.md": "Der Termin beim Zahnarzt ist am 24. November um Viertel nach acht.\n",
    "Keller.md": "Die Fahrradpumpe liegt unter der Treppe, neben dem Werkzeug.\n",
    "Garten.md": "Im Garten blühen die ersten Krokusse, und die Amsel baut ihr Nest.\n",
    "Termine.md": "Der Termin mit der Bank wurde auf den Winter verschoben.\n",
    "Brunnen.md": "Das Wasser im Brunnen steht hoch, wir haben nichts zu tun.\n",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    notes = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    with Vault(tmp_path_factory.mktemp("vault"), load_settings()) as made:
        made.index([notes])
        yield made


@pytest.mark.parametrize(
    ("question", "first"),
    [("Wann ist der Zahnarzttermin?", "Arzt.md"), ("Wo ist die Pumpe für mein Rad?", "Keller.md")],
)
def test_the_note_with_the_parts_comes_first(vault: Vault, question: str, first: str) -> None:
    assert Path(vault.search(question, budget_tokens=100).sources[0].path).name == first
