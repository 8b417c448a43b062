"""Another embedding model: its vectors are made beside the old ones, which answer until all are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from helpers.changing_notes import DIMENSION, WordVectors, index
from helpers.hand_made_graph import fill

from noderag_local.domain.graph import NodeType
from noderag_local.graph.vectors import sentence_embedding
from noderag_local.graph.vectors.node_embedding import NodeEmbeddingStep
from noderag_local.graph.vectors.sentence_embedding import embed_missing
from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors
from noderag_local.models.embedding.embedding_model import EmbeddingModel, Runner, builtin_model
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.fact_names import COMING_BY, EMBEDDED_BY, EMBEDDED_WITH
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors import vector_file
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.storage.vectors.vectors import VectorRows

WIDE = 40
OTHER = EmbeddingModel("other", Runner.FOLDER, "/models/other", "other 123", "/models/other")


class WideVectors(WordVectors):
    """The other model, with longer vectors; remembers what it read."""

    def __init__(self) -> None:
        super().__init__(WIDE)
        self.read: list[str] = []

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[dict[int, PassageVectors]]:
        for batch in super().batches(passages):
            self.read += [passages[place].text() for place in batch]
            yield batch


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_embedding, "BLOCK_CHUNKS", 2)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(9):
        (folder / f"{number}.md").write_text(
            f"Marta baked bread {number}. The oven was warm in Porto.\n", encoding="utf-8"
        )
    return folder


@pytest.fixture
def store(tmp_path: Path, notes: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        index(opened, notes)
        yield opened


def stopping_after(model: WideVectors, chunks: int) -> Callable[[], bool]:
    return lambda: len(model.read) >= chunks


def begun(store: Store, notes: Path) -> WideVectors:
    """Chooses the other model and stops when four of the nine chunks are embedded."""
    model = WideVectors()
    index(store, notes, embedder=lambda: model, embedding=OTHER, cancelled=stopping_after(model, 4))
    assert VectorRows(store, coming=True).count() == 4 * 3
    return model


def other_digest(tmp_path: Path, notes: Path) -> str:
    with Store.open(tmp_path / "fresh", write=True) as fresh:
        index(fresh, notes, embedder=WideVectors, embedding=OTHER)
        return digest(fresh)


def test_until_all_are_there_nothing_that_answers_has_changed(store: Store, notes: Path) -> None:
    before, stamp = digest(store), store.stamp
    begun(store, notes)
    assert digest(store) == before
    assert store.stamp == stamp
    assert store.facts[EMBEDDED_BY] == builtin_model().identity
    assert all(finding.ok for finding in integrity(store))


def test_the_next_run_goes_on_and_ends_as_a_vault_that_never_had_another(
    store: Store, notes: Path, tmp_path: Path
) -> None:
    begun(store, notes)
    rest = WideVectors()
    index(store, notes, embedder=lambda: rest, embedding=OTHER)
    assert len(rest.read) == 5
    assert digest(store) == other_digest(tmp_path, notes)
    assert (store.facts[EMBEDDED_BY], store.facts[EMBEDDED_WITH]) == (OTHER.identity, OTHER.chosen_by)
    assert COMING_BY not in store.facts
    assert VectorRows(store, coming=True).count() == 0
    index(store, notes, embedder=pytest.fail, embedding=OTHER)  # type: ignore[arg-type]


def test_caches_of_vectors_of_another_length_are_made_anew(
    store: Store, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_file, "FEWEST", 0)
    monkeypatch.setattr(vector_file, "MOST_CHANGED", np.inf)
    (notes / "0.md").write_text("Somebody else baked a cake. It was good.\n", encoding="utf-8")
    index(store, notes)
    assert VectorIndex.open(store, NodeType.SENTENCE).vectors.shape[1] == DIMENSION
    index(store, notes, embedder=WideVectors, embedding=OTHER)
    assert VectorIndex.open(store, NodeType.SENTENCE).vectors.shape[1] == WIDE
    assert all(finding.ok for finding in integrity(store))


def test_what_changes_meanwhile_is_in_the_new_vectors(store: Store, notes: Path, tmp_path: Path) -> None:
    begun(store, notes)
    (notes / "0.md").write_text("Somebody else baked a cake. It was good.\n", encoding="utf-8")
    (notes / "1.md").unlink()
    (notes / "new.md").write_text("A new note about Lisbon.\n", encoding="utf-8")
    index(store, notes, embedder=WideVectors, embedding=OTHER)
    assert all(finding.ok for finding in integrity(store))
    assert digest(store) == other_digest(tmp_path, notes)


def test_what_is_removed_meanwhile_leaves_no_coming_vector(store: Store, notes: Path) -> None:
    begun(store, notes)
    for note in notes.iterdir():
        note.unlink()
    index(store, notes, embedding=builtin_model(), cancelled=lambda: False)
    assert VectorRows(store, coming=True).count() == 0


def test_choosing_the_old_one_again_throws_the_new_vectors_away(store: Store, notes: Path) -> None:
    before = digest(store)
    begun(store, notes)
    index(store, notes, embedder=pytest.fail)  # type: ignore[arg-type]
    assert (digest(store), COMING_BY in store.facts) == (before, False)
    assert VectorRows(store, coming=True).count() == 0


def test_a_third_one_begins_anew(store: Store, notes: Path) -> None:
    begun(store, notes)
    third = EmbeddingModel("third", Runner.FOLDER, "/models/third", "third 5", "/models/third")
    model = WideVectors()
    index(store, notes, embedder=lambda: model, embedding=third)
    assert len(model.read) == 9
    assert store.facts[EMBEDDED_BY] == third.identity


def test_a_process_that_holds_the_old_vectors_takes_the_new_ones(store: Store, notes: Path, tmp_path: Path) -> None:
    held = SentenceVectors()
    for number in range(2):
        (notes / f"held-{number}.md").write_text("The bread was held back.\n", encoding="utf-8")
        index(store, notes, vectors=held)
    index(store, notes, embedder=WideVectors, embedding=OTHER, vectors=held)
    assert held.rows.shape[1] == WIDE
    assert digest(store) == other_digest(tmp_path, notes)


def test_units_and_relationships_get_theirs_too(tmp_path: Path) -> None:
    with Store.open(tmp_path / "vault", write=True) as store:
        fill(store)

        def embed(model: EmbeddingModel, embedder: type[WordVectors]) -> None:
            assert embed_missing(store, model, embedder, lambda done, total: None, lambda: False)

        embed(builtin_model(), WordVectors)
        NodeEmbeddingStep(WordVectors).run(store, lambda done, total: None, lambda: False)
        kinds = (NodeType.SEMANTIC_UNIT, NodeType.RELATIONSHIP)
        before = {kind: VectorRows(store).matrix(kind)[0] for kind in kinds}
        assert all(len(ids) for ids in before.values())
        embed(OTHER, WideVectors)
        assert not NodeEmbeddingStep(pytest.fail).needed(store)  # type: ignore[arg-type]
        for kind in kinds:
            ids, vectors = VectorRows(store).matrix(kind)
            assert np.array_equal(ids, before[kind])
            assert vectors.shape[1] == WIDE
