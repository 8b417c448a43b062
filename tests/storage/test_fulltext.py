"""BM25 finds what a person types, in any script, and never trips over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.small_documents import add, document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.fts_query import any_word, phrase
from noderag_local.storage.documents.fulltext import labelled_chunks, search_chunks, words_held

TEXTS = {
    "river": "The river Ouse flows through York.",
    "rivers": "Rivers of England: the Ouse, the Ouse again, the Thames.",
    "beijing": "北京大学位于海淀区。",
    "tokyo": "東京タワーは1958年に建てられた。",
    "seoul": "서울에서 부산까지 기차로 간다.",
    "thai": "กรุงเทพมหานครเป็นเมืองหลวง",
    "operators": "NEAR AND OR NOT.",
    "hindi": "हिन्दी भाषा भारत में बोली जाती है।",
    "accents": "Café Zürich serves crème brûlée.",
    "code": "snake_case names, C++, e-mail.",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(Path(tmp_path_factory.mktemp("vault")), write=True) as opened:
        add(opened, *(document(f"/notes/{name}.md", [text], title=f"Title of {name}") for name, text in TEXTS.items()))
        yield opened


def found(store: Store, question: str, limit: int = 3) -> list[str]:
    """Names of the texts found, best first."""
    texts = texts_of(store, [number for number, _ in search_chunks(store, question, limit)])
    return [name for text in texts for name, known in TEXTS.items() if known == text]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Which river flows through York?", "river"),
        ("thames", "rivers"),
        ("cafe zurich", "accents"),
        ("CRÈME", "accents"),
        ("cre\u0300me", "accents"),
        ("北京", "beijing"),
        ("海淀", "beijing"),
        ("大学在哪里？", "beijing"),
        ("タワー", "tokyo"),
        ("東京 1958", "tokyo"),
        ("부산", "seoul"),
        ("กรุงเทพ", "thai"),
        ("हिन्दी", "hindi"),
        ("AND", "operators"),
        ('"NEAR"(NOT OR)', "operators"),
        ("snake_case", "code"),
    ],
)
def test_the_best_chunk_for_a_question(store: Store, question: str, best: str) -> None:
    assert found(store, question)[0] == best


def test_one_character_finds_pairs_that_begin_with_it(store: Store) -> None:
    assert found(store, "海") == ["beijing"]


def test_vowel_signs_do_not_make_other_words_alike(store: Store) -> None:
    assert found(store, "हिन्दू") == []


def test_words_are_looked_up_as_the_index_folds_them(store: Store) -> None:
    assert words_held(store, ["river", "zurich", "Zürich", "rive", "title", ""]) == {"river", "zurich", "title"}


def test_titles_are_searched_too(store: Store) -> None:
    assert found(store, "title seoul")[0] == "seoul"


def test_higher_is_better_and_ties_go_by_id(store: Store) -> None:
    rows = search_chunks(store, "title of ouse", 100)
    assert len(rows) == len(TEXTS)
    assert rows == sorted(rows, key=lambda row: (-row[1], row[0]))
    assert search_chunks(store, "title of ouse", 2) == rows[:2]
    assert rows[0][1] > 0


@pytest.mark.parametrize(("word", "count"), [("北京", 1), ("京都", 1), ("位于", 0), ("猫", 2), ("title", 1)])
def test_titles_without_spaces_are_found_by_their_pairs(tmp_path: Path, word: str, count: int) -> None:
    with Store.open(tmp_path, write=True) as store:
        add(
            store,
            document("/notes/a.md", ["京都大学位于京都。"], title="北京大学"),
            document("/notes/b.md", ["北京 猫 title"], title="猫 京都"),
            document("/notes/c.md", ["Nothing."], title="A title"),
            document("/notes/d.md", ["Nothing."], title="猫カフェ"),
        )
        assert len(labelled_chunks(store, word, {word})) == count


def test_a_title_has_both_parts_of_a_word_with_an_apostrophe(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        names = ("Opening hours", "Call O’Brien", "L'immeuble", "L'atelier")
        add(store, *(document(f"/notes/{name}.md", ["Nothing."], title=name) for name in names))
        assert len(labelled_chunks(store, "o'brien", {"o'brien"})) == 1
        assert len(labelled_chunks(store, "l'immeuble", {"immeubl"})) == 1


@pytest.mark.parametrize("question", ["", "   ", "?!", '"', "\0", "_", "\ud800", "🙂"])
def test_a_question_without_words_finds_nothing(store: Store, question: str) -> None:
    assert search_chunks(store, question, 5) == []


def test_words_of_a_removed_document_are_gone(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        numbers = add(
            store, document("/notes/a.md", ["Xylophagous beetles."]), document("/notes/b.md", ["木を食べる。"])
        )
        assert search_chunks(store, "xylophagous", 5)
        DocumentRows(store).remove(numbers)
        assert search_chunks(store, "xylophagous 食べ", 5) == []


SYNTAX = st.text(alphabet=st.sampled_from(list("\"'()*^:+-{}[]\\;,.%_ \n\tAaOoRrNnDdEeTt0北京ー가\0ก")), max_size=40)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SYNTAX | st.text(max_size=60) | st.from_regex(r"(NEAR|AND|OR|NOT)\(?[\"*: ]*\w*", fullmatch=True))
def test_no_text_is_a_syntax_error(store: Store, text: str) -> None:
    search_chunks(store, text, 3)
    for query in (phrase([text]), phrase(text.split())):
        if query:
            store.rows("SELECT rowid FROM entity_names WHERE entity_names MATCH ?", (query,))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(list(TEXTS.values())), st.data())
def test_every_word_of_a_text_finds_it(store: Store, text: str, data: st.DataObject) -> None:
    word = data.draw(st.sampled_from([word for word in text.split() if any_word(word)]))
    rows = [number for number, _ in search_chunks(store, word, 100)]
    assert text in texts_of(store, rows)


def test_a_very_long_question_is_cut(store: Store) -> None:
    assert found(store, "river " + " ".join(f"word{n}" for n in range(5000)))[0] == "river"


def texts_of(store: Store, chunk_ids: list[int]) -> list[str]:
    return [str(store.value("SELECT text FROM chunks WHERE id = ?", (number,))) for number in chunk_ids]
