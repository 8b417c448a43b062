"""One vault with the excerpt of MuSiQue, read by the real model, for all tests of searching."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers import musique

from noderag_local.config import load_settings
from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import plan
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.llm_cache import CachedText, LlmCache
from noderag_local.vault.vault import Vault


@pytest.fixture(scope="session")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """Searched only: no test may change it."""
    settings = load_settings(models_dir=tmp_path_factory.mktemp("no-models"))
    with Vault(tmp_path_factory.mktemp("musique"), settings) as made:
        made.index([musique.CORPUS])
        yield made


@pytest.fixture(scope="session")
def enriched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """The same notes after the language model has read all of them; it is never asked, its answers are recorded."""
    settings = load_settings(models_dir=tmp_path_factory.mktemp("no-models"))
    engine = ScriptedEngine(name="recorded")
    with Vault(tmp_path_factory.mktemp("enriched"), settings) as made:
        made.index([musique.CORPUS])
        with Store.open(made.folder, write=True) as store:
            for answer in musique.answers():
                cached = CachedText(answer["output"], 0, 0)
                LlmCache(store).put(engine.identity, answer["prompt"], answer["input_hash"], cached)
            report = enrich(store, plan(lambda: SentenceTransformerEmbedder(1)), engine, Budget())
        assert report.is_complete and not engine.history
        yield made
