"""Words of a question are found in a sentence, beside it, in its chunk and in its document."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest
from helpers.small_documents import add, document

from noderag_local.config import load_settings
from noderag_local.retrieval.default.named_documents import MOST_DOCUMENTS, MOST_TITLES
from noderag_local.retrieval.default.word_signals import NEIGHBOURS, WordSignals, word_signals
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.vault.reader import Reader
from noderag_local.vault.vault import Vault

CHAT = """# Ana and Ben, 3 May 2024

Ana: We bought a tent.

Ben: Which colour?

Ana: Green, with a stove.

Ben: When do you leave?

Ana: On Friday, for the lake.
"""
DIARY = "# Lake\n\nSwam across yesterday.\n"
TODAY = date(2024, 7, 2)
LIST = "# Shopping\n\n- bread\n- stamps\n"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    notes = tmp_path_factory.mktemp("notes")
    (notes / "chat.md").write_text(CHAT, encoding="utf-8")
    (notes / "list.md").write_text(LIST, encoding="utf-8")
    (notes / "2024-07-01.md").write_text(DIARY, encoding="utf-8")
    made = Vault(tmp_path_factory.mktemp("vault"), load_settings())
    made.index([notes])
    return made


def signals(vault: Vault, question: str) -> tuple[WordSignals, list[str]]:
    """The signals, and the text of each sentence."""
    with Store.open(vault.folder, write=False) as store:
        arrays = Reader(store, load_settings()).search_arrays
        made = word_signals(question, store, arrays, TODAY, lambda _: frozenset())
        return made, TextRows(store).sentence_texts(arrays.sentences)


def test_shares_say_where_the_words_are(vault: Vault) -> None:
    found, texts = signals(vault, "What colour is the tent?")
    tent, green = (next(at for at, text in enumerate(texts) if word in text) for word in ("tent", "Green"))
    assert 0 < found.sentence[tent] < 1
    assert found.sentence[green] == 0
    assert green - tent <= NEIGHBOURS
    assert found.near[green] == pytest.approx(1)
    assert found.document.all[green] == pytest.approx(1)
    assert found.words == 2


def test_other_documents_get_nothing(vault: Vault) -> None:
    found, texts = signals(vault, "What colour is the tent?")
    stamps = next(at for at, text in enumerate(texts) if "stamps" in text)
    for values in (found.sentence, found.near, found.chunk.all, found.document.all, found.bm25.all):
        assert values[stamps] == 0
        assert values.min() >= 0
        assert values.max() <= 1 + 1e-6


def test_unknown_words_say_nothing(vault: Vault) -> None:
    found, _ = signals(vault, "zeppelin?")
    assert found.words == 0
    assert not np.any(found.document.all)


def test_titles_count_for_all_that_stands_below_them(vault: Vault) -> None:
    found, texts = signals(vault, "When did Ben go shopping for bread?")
    below_ben = [float(found.title.all[at]) for at, text in enumerate(texts) if "Green" in text or "Friday" in text]
    assert min(below_ben) > 0
    assert all(found.title.all[at] > found.sentence[at] == 0 for at, text in enumerate(texts) if "stamps" in text)


def test_a_note_of_many_chunks_hides_none_with_a_shorter_title(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        log = document("/notes/log.md", *(["Nothing new."] for _ in range(MOST_TITLES + 1)), title="Work log")
        add(store, log, document("/notes/work.md", ["The office is closed."], title="Work"))
        arrays = Reader(store, load_settings()).search_arrays
        named = word_signals("Work", store, arrays, TODAY, lambda _: frozenset()).named
    assert named.argmax() == len(named) - 1
    assert named[-1] == pytest.approx(1)


def test_words_in_the_titles_of_thousands_of_documents_name_none(tmp_path: Path) -> None:
    numbers = range(MOST_DOCUMENTS + 1)
    with Store.open(tmp_path, write=True) as store:
        add(store, *(document(f"/mail/{at}.eml", ["Offers."], title=f"Newsletter {at}") for at in numbers))
        arrays = Reader(store, load_settings()).search_arrays
        of_all, of_one = (
            word_signals(question, store, arrays, TODAY, lambda _: ()).named
            for question in ("Newsletter", f"Newsletter {MOST_DOCUMENTS}")
        )
    assert not of_all.any()
    assert of_one.argmax() == MOST_DOCUMENTS and of_one.max() == pytest.approx(1)


@pytest.mark.parametrize("question", ["猫 カフェ", "カフェ 犬"])
def test_a_character_that_notes_have_only_in_longer_words_is_not_unknown(tmp_path: Path, question: str) -> None:
    with Store.open(tmp_path, write=True) as store:
        add(
            store,
            document("/notes/a.md", ["店は東京。"], title="猫カフェ"),
            document("/notes/b.md", ["犬小屋。"], title="庭"),
        )
        found = word_signals(question, store, Reader(store, load_settings()).search_arrays, TODAY, lambda _: ())
    assert found.unknown == ()
    assert found.named[0] > 0 == found.named[1]


def test_unknown_words_make_the_others_say_less(vault: Vault) -> None:
    known, _ = signals(vault, "tent?")
    both, _ = signals(vault, "zeppelin tent?")
    assert 0 < both.sentence.max() < 0.6 * known.sentence.max()
    for name in ("document", "bm25"):
        assert 0 < getattr(both, name).best < 0.6 * getattr(known, name).best


@pytest.mark.parametrize("day", ["30 June 2024", "June 30, 2024", "2024-06-30", "30. Juni 2024", "30 de junio de 2024"])
def test_a_day_finds_the_sentence_that_calls_it_yesterday(vault: Vault, day: str) -> None:
    found, texts = signals(vault, f"Where was I on {day}?")
    assert "Swam across yesterday." in texts[int(found.sentence.argmax())]


@pytest.mark.parametrize("question", ["What did I do yesterday?", "Was habe ich gestern gemacht?", "¿Qué hice ayer?"])
def test_yesterday_in_a_question_is_the_note_of_that_day(vault: Vault, question: str) -> None:
    found, texts = signals(vault, question)
    of_diary = [at for at, text in enumerate(texts) if text in ("Lake", "Swam across yesterday.")]
    assert min(found.title.at(np.array(of_diary))) > max(np.delete(found.title.all, of_diary))


def test_the_day_of_a_talk_counts_as_its_title(vault: Vault) -> None:
    found, texts = signals(vault, "Who bought something on 2024-05-03?")
    assert found.title.all[next(at for at, text in enumerate(texts) if "tent" in text)] > 0


def test_a_note_that_gets_another_name_is_of_another_day(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "lake.md").write_text(DIARY, encoding="utf-8")
    (notes / "list.md").write_text(LIST, encoding="utf-8")
    made = Vault(tmp_path / "vault", load_settings())
    made.index([notes])
    (notes / "lake.md").rename(notes / "2024-07-01.md")
    made.index([notes])
    with Store.open(made.folder, write=False) as store:
        assert len(Snapshot.open(store).words.sentences_with(["=2024-06-30"])) == 1
        assert Snapshot.open(store).words.sentences.tolist() == Snapshot.of_rows(store).words.sentences.tolist()
