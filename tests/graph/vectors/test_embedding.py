"""Embedding what has no vector: told batch by batch, stopped within a block, and the same bits in the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from helpers import musique

from noderag_local.domain.graph import NodeType
from noderag_local.graph.vectors.sentence_embedding import BLOCK_CHUNKS, embed_missing
from noderag_local.ingest.chunks.packing import Counters
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.scan import scan
from noderag_local.ingest.sync.sync import Sync
from noderag_local.models.embedding.embedder import EmbeddedChunk, embedded
from noderag_local.models.embedding.embedding_model import builtin_model
from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder
from noderag_local.models.embedding.wordpieces import WordPieces
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors.vectors import VectorRows


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(threads=2)


def filled(folder: Path) -> Store:
    """A vault of forty paragraphs, none of them embedded."""
    corpus = folder.with_suffix(".jsonl")
    corpus.write_text("\n".join(musique.CORPUS.read_text("utf-8").splitlines()[:40]) + "\n", "utf-8")
    store = Store.open(folder, write=True)
    counters = Counters(WordPieces().count, WordPieces().count)
    intake = Sync(store, counters, False, [corpus], WorkerProcess())
    intake.run(scan([corpus], 1 << 20), lambda done, total: None, lambda: False)
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with filled(tmp_path / "vault") as opened:
        yield opened


def all_vectors(store: Store) -> list[np.ndarray]:
    return [VectorRows(store).matrix(kind)[1] for kind in (NodeType.TEXT, NodeType.SENTENCE)]


@dataclass(frozen=True)
class Embedded:
    """A vault that was embedded in one go."""

    store: Store
    told: list[tuple[int, int]]
    """Sentences done and sentences in all, each time that it was told."""


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory, embedder: SentenceTransformerEmbedder) -> Iterator[Embedded]:
    told: list[tuple[int, int]] = []
    with filled(tmp_path_factory.mktemp("unbroken") / "vault") as store:
        assert store.value("SELECT count(*) FROM chunks") < BLOCK_CHUNKS
        assert embed_missing(
            store, builtin_model(), lambda: embedder, lambda done, total: told.append((done, total)), lambda: False
        )
        yield Embedded(store, told)


def test_within_a_block_it_is_told_how_far_it_is(unbroken: Embedded) -> None:
    told = unbroken.told
    assert len(told) > 3
    assert told == [told[0], *sorted(set(told))], "that nothing is done is told again when the model is loaded"
    sentences = unbroken.store.value("SELECT count(*) FROM sentences")
    assert (told[0], told[-1]) == ((0, sentences), (sentences, sentences))


def test_a_stopped_block_is_thrown_away_and_the_next_run_gives_the_same_bits(
    store: Store, unbroken: Embedded, embedder: SentenceTransformerEmbedder
) -> None:
    told: list[int] = []
    assert not embed_missing(
        store, builtin_model(), lambda: embedder, lambda done, _: told.append(done), lambda: len(told) == 3
    )
    assert (len(told), VectorRows(store).count()) == (3, 0)
    assert embed_missing(store, builtin_model(), lambda: embedder, lambda done, total: None, lambda: False)
    for ours, theirs in zip(all_vectors(store), all_vectors(unbroken.store), strict=True):
        assert np.array_equal(ours, theirs)


def test_what_is_embedded_already_loads_no_model(unbroken: Embedded) -> None:
    assert embed_missing(unbroken.store, builtin_model(), pytest.fail, pytest.fail, lambda: True)  # type: ignore[arg-type]


def test_a_passage_has_the_same_vectors_to_the_last_bit_whatever_it_is_embedded_with(
    embedder: SentenceTransformerEmbedder,
) -> None:
    texts = [json.loads(line)["text"] for line in musique.CORPUS.read_text("utf-8").splitlines()[:24]]
    passages = [EmbeddedChunk("", (text,)) for text in (*texts, "Short.", " ".join(texts[:8]))]
    together = embedded(embedder, passages)
    assert together is not None
    for passage, vectors in list(zip(passages, together, strict=True))[::5]:
        alone = embedded(embedder, [passage])
        assert alone is not None
        assert np.array_equal(alone[0].sentences, vectors.sentences)
