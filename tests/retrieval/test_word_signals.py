"""Words of a question are found in a sentence, beside it, in its chunk and in its document."""

from __future__ import annotations

import numpy as np
import pytest

from noderag_local.config import load_settings
from noderag_local.retrieval.default.word_signals import NEIGHBOURS, WordSignals, word_signals
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.vault.reader import Reader
from noderag_local.vault.vault import Vault

CHAT = """# Ana and Ben, 3 May 2024

Ana: We bought a tent.

Ben: Which colour?

Ana: Green, with a stove.

Ben: When do you leave?

Ana: On Friday, for the lake.
"""
LIST = "# Shopping\n\n- bread\n- stamps\n"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    notes = tmp_path_factory.mktemp("notes")
    (notes / "chat.md").write_text(CHAT, encoding="utf-8")
    (notes / "list.md").write_text(LIST, encoding="utf-8")
    made = Vault(tmp_path_factory.mktemp("vault"), load_settings())
    made.index([notes])
    return made


def signals(vault: Vault, question: str) -> tuple[WordSignals, list[str]]:
    """The signals, and the text of each sentence."""
    with Store.open(vault.folder, write=False) as store:
        arrays = Reader(store, load_settings()).graph_arrays
        return word_signals(question, store, arrays), TextRows(store).sentence_texts(arrays.sentences)


def test_shares_say_where_the_words_are(vault: Vault) -> None:
    found, texts = signals(vault, "What colour is the tent?")
    tent, green = (next(at for at, text in enumerate(texts) if word in text) for word in ("tent", "Green"))
    assert 0 < found.sentence[tent] < 1
    assert found.sentence[green] == 0
    assert green - tent <= NEIGHBOURS
    assert found.near[green] == pytest.approx(1)
    assert found.document[green] == pytest.approx(1)
    assert found.words == 2


def test_other_documents_get_nothing(vault: Vault) -> None:
    found, texts = signals(vault, "What colour is the tent?")
    stamps = next(at for at, text in enumerate(texts) if "stamps" in text)
    for values in (found.sentence, found.near, found.chunk, found.document, found.bm25):
        assert values[stamps] == 0
        assert values.min() >= 0
        assert values.max() <= 1 + 1e-6


def test_unknown_words_say_nothing(vault: Vault) -> None:
    found, _ = signals(vault, "zeppelin?")
    assert found.words == 0
    assert not np.any(found.document)


def test_titles_count_for_all_that_stands_below_them(vault: Vault) -> None:
    found, texts = signals(vault, "When did Ben go shopping for bread?")
    below_ben = [float(found.title[at]) for at, text in enumerate(texts) if "Green" in text or "Friday" in text]
    assert min(below_ben) > 0
    assert all(found.title[at] > found.sentence[at] == 0 for at, text in enumerate(texts) if "stamps" in text)


def test_unknown_words_make_the_others_say_less(vault: Vault) -> None:
    known, _ = signals(vault, "tent?")
    both, _ = signals(vault, "zeppelin tent?")
    for name in ("sentence", "document", "bm25"):
        assert 0 < getattr(both, name).max() < 0.6 * getattr(known, name).max()
