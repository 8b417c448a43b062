"""What a search finds after changes that were only noted is what it finds where all caches are made anew."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from helpers.changing_notes import WordVectors, index
from helpers.followed_caches import NAMES, arrays, assert_same, change, copied, said, text

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.extraction.same_names.merging import decide
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline import caches as cache_stage
from noderag_local.pipeline import indexing
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.caches import Caches, caches_fit
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import plan
from noderag_local.retrieval.search_arrays import FILE_NAME
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.snapshots import change_log
from noderag_local.storage.snapshots.cache_file import caches, remove_caches
from noderag_local.storage.snapshots.change_log import logged_from
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.vectors import vector_file
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.vector_index import HNSW_FILE, VectorIndex
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.text.stems import stems


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small vaults keep a log, as large ones do, and files of vectors."""
    monkeypatch.setattr(change_log, "LEAST_SENTENCES", 0)
    monkeypatch.setattr(vector_file, "FEWEST", 0)
    yield


@pytest.mark.parametrize("seed", range(4))
def test_after_each_change_the_arrays_are_those_that_are_made_anew(tmp_path: Path, noted: None, seed: int) -> None:
    chance, notes, names, followed = random.Random(seed), tmp_path / "notes", list(NAMES), 0
    notes.mkdir()
    for number in range(25):
        (notes / f"{number}.md").write_text(text(chance, names), encoding="utf-8")
    held = SentenceVectors()
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes, vectors=held)
        assert caches_fit(store, store.stamp)
        before = (store.folder / FILE_NAME).read_bytes()
        for _ in range(12):
            change(notes, chance, names)
            index(store, notes, vectors=held)
            assert logged_from(store)
            found, words = arrays(store), Snapshot.open(store)
            followed += (store.folder / FILE_NAME).read_bytes() == before
            anew = Snapshot.of_rows(store)
            for kind, columns in anew.edges.items():
                for mine, its in zip(words.edges[kind], columns, strict=True):
                    assert mine.tolist() == its.tolist(), kind
            for word in ("2014", "boat", "yesterday", "quist", "2021"):
                assert words.words.sentences_with([word]).tolist() == anew.words.sentences_with([word]).tolist()
            assert words.words.relative.tolist() == anew.words.relative.tolist()
            assert words.sentences.ids.tolist() == anew.sentences.ids.tolist()
            assert words.chunks.ids.tolist() == anew.chunks.ids.tolist()
            with Store.open(copied(store.folder, tmp_path / "copy"), write=False) as copy:
                assert_same(found, arrays(copy))
            store.folder.joinpath(FILE_NAME).write_bytes(before)
    assert followed > 6, "most changes leave the file as it is"


OF_FILE = """
SELECT c.id FROM chunks c JOIN documents d ON d.id = document_id JOIN files f ON f.id = file_id WHERE path LIKE ?
UNION SELECT s.id FROM sentences s JOIN chunks c ON c.id = chunk_id JOIN documents d ON d.id = document_id
  JOIN files f ON f.id = file_id WHERE path LIKE ?
"""


class Writers:
    """A vault in which one writer after the other changes something at random."""

    def __init__(self, store: Store, notes: Path, seed: int) -> None:
        self._store, self._notes, self._chance, self._names = store, notes, random.Random(seed), list(NAMES)
        self._held = SentenceVectors()
        notes.mkdir()
        for number in range(25):
            (notes / f"{number}.md").write_text(text(self._chance, self._names), encoding="utf-8")
        self.index()

    def index(self) -> None:
        index(self._store, self._notes, vectors=self._held)

    def change(self) -> None:
        change(self._notes, self._chance, self._names)
        self.index()

    def forget(self) -> None:
        one = self._chance.choice(sorted(FileRows(self._store).known()))
        indexing.forget(self._store, [Path(one)], lambda _: None, lambda: False)

    def enrich(self) -> None:
        """Reads some more, up to the end of the run or until the user stops it."""
        answers, most = count(), self._chance.choice((3, 9, 10**6))
        enrich(
            self._store,
            plan(WordVectors),
            ScriptedEngine(reply=said),
            Budget(share=self._chance.random()),
            cancelled=lambda: next(answers) > 20 * most,
        )

    def decide(self) -> None:
        _, keys, names = GraphRows(self._store).nodes_of(NodeType.ENTITY)
        one, other = self._chance.sample(range(len(keys)), 2)
        caches = Caches(self._store)
        decide(self._store, names[one], names[other], self._chance.choice((True, True, False, None)))
        caches.stop()


@pytest.mark.parametrize("seed", range(6))
def test_after_each_writer_the_arrays_are_those_that_are_made_anew(tmp_path: Path, noted: None, seed: int) -> None:
    chance = random.Random(seed)
    with Store.open(tmp_path / "vault", write=True) as store:
        writers = Writers(store, tmp_path / "notes", seed)
        for _ in range(14):
            before = (store.folder / FILE_NAME).read_bytes()
            writer = chance.choice((writers.change, writers.forget, writers.enrich, writers.enrich, writers.decide))
            writer()
            assert logged_from(store), writer
            assert Snapshot.saved(store) is not None, writer
            is_renewed = (store.folder / FILE_NAME).read_bytes() != before
            assert is_renewed == (writer == writers.forget), writer
            with Store.open(copied(store.folder, tmp_path / "copy"), write=False) as copy:
                assert_same(arrays(store), arrays(copy))
                mine, its = Snapshot.open(store), Snapshot.of_rows(copy)
                for kind, columns in its.edges.items():
                    for one, other in zip(mine.edges[kind], columns, strict=True):
                        assert one.tolist() == other.tolist(), kind


def test_after_forgetting_no_cache_has_a_vector_or_a_word_of_it(tmp_path: Path, noted: None) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Ada Quimby sang.\n", encoding="utf-8")
    (notes / "b.md").write_text("Ben Okafor hid the ledger.\n", encoding="utf-8")

    def traces(word: str, vectors: list[bytes]) -> int:
        (stem,) = stems(word)
        wanted = [*vectors, hashlib.blake2b(stem.encode(), digest_size=8).digest()]
        content = b"".join(path.read_bytes() for path in caches(tmp_path / "vault"))
        return sum(one in content for one in wanted)

    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        (notes / "c.md").write_text("Cleo Marsh left.\n", encoding="utf-8")
        index(store, notes)
        of_b = f"SELECT node_id FROM embeddings WHERE node_id IN ({OF_FILE})"
        hidden, kept = (
            [
                row
                for (row,) in store.rows(f"SELECT vector FROM embeddings WHERE node_id {which} ({of_b})", ["%b.md"] * 2)
            ]
            for which in ("IN", "NOT IN")
        )
        assert (traces("ledger", hidden), traces("sang", kept)) == (3, 3), "the third note is in the log alone"
        indexing.forget(store, [notes / "b.md"], lambda _: None, lambda: False)
        assert (traces("ledger", hidden), traces("sang", kept)) == (0, 5)
        assert caches_fit(store, store.stamp)


def test_the_vectors_of_many_sentences_lie_in_their_hnsw_index_alone(
    tmp_path: Path, noted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_stage, "SEARCH_EXACT_UP_TO", 0)
    chance, notes, names, held = random.Random(1), tmp_path / "notes", list(NAMES), SentenceVectors()
    notes.mkdir()
    for number in range(25):
        (notes / f"{number}.md").write_text(text(chance, names), encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes, vectors=held)
        for _ in range(4):
            assert caches_fit(store, store.stamp) or logged_from(store)
            ids, rows = VectorRows(store).matrix(NodeType.SENTENCE)
            found = VectorIndex.open(store, NodeType.SENTENCE)
            assert found.ids.tolist() == ids.tolist()
            assert found.vectors.tolist() == rows.tolist()
            assert found.of(ids[::-1]).tolist() == rows[::-1].tolist()
            query = rows[3].astype(np.float32)
            nearest, cosines = found.search(query[None], 1)
            assert cosines[0][0] == pytest.approx(
                float(query @ rows[ids == nearest[0][0]][0].astype(np.float32)), abs=1e-3
            )
            change(notes, chance, names)
            index(store, notes, vectors=held)
        kept = rows[0].tobytes()
        assert kept not in (store.folder / "sentences.arrays").read_bytes()
        (store.folder / HNSW_FILE).unlink()
        assert VectorIndex.open(store, NodeType.SENTENCE).vectors.tolist() == (
            VectorRows(store).matrix(NodeType.SENTENCE)[1].tolist()
        ), "without the index, the rows tell"


def test_an_entity_that_only_a_relationship_leads_to_is_named_while_that_is_there(tmp_path: Path, noted: None) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Ada Quimby sang. Ben Okafor left.\n", encoding="utf-8")

    def same(store: Store) -> list[bool]:
        with Store.open(copied(store.folder, tmp_path / "copy"), write=False) as copy:
            found = arrays(store)
            assert_same(found, arrays(copy))
        return [bool(found.is_named[np.searchsorted(found.entities, one)]) for one in (quirin, ledger)]

    def made_anew(store: Store, caches: Caches) -> Caches:
        remove_caches(store.folder)
        caches.bring_up(lambda done, total: None, None)
        return Caches(store)

    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        caches, graph = Caches(store), GraphRows(store)
        quirin, ledger = graph.put_nodes(NodeType.ENTITY, [("quirin", "Quirin"), ("ledger", "Ledger")]).tolist()
        relationship = graph.put_nodes(NodeType.RELATIONSHIP, [("quirin, ledger", "")]).tolist()
        graph.add_edges(EdgeType.RELATES, relationship * 2, [quirin, ledger], [1, 1])
        assert same(store) == [True, True]
        caches = made_anew(store, caches)
        decide(store, "Quirin", "Ledger", True)
        assert sorted(same(store)) == [False, True]
        caches = made_anew(store, caches)
        decide(store, "Quirin", "Ledger", None)
        assert same(store) == [True, True]
        graph.remove_nodes(relationship)
        assert same(store) == [False, False]
        assert logged_from(store)
        caches.stop()


def test_many_changes_end_the_log_and_make_the_caches_anew(
    tmp_path: Path, noted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, notes = random.Random(1), tmp_path / "notes"
    notes.mkdir()
    for number in range(8):
        (notes / f"{number}.md").write_text(text(chance, list(NAMES)), encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        (notes / "0.md").write_text("Ada Quimby sang. Ben Okafor left.\n", encoding="utf-8")
        index(store, notes)
        assert not caches_fit(store, store.stamp)
        assert store.value("SELECT count(*) FROM _changed_sentences") > 0
        monkeypatch.setattr(change_log, "MOST_SENTENCES", 3)
        (notes / "1.md").write_text("Cleo Marsh sang. Dora Lindt left.\n", encoding="utf-8")
        index(store, notes)
        assert caches_fit(store, store.stamp)
        assert store.value("SELECT count(*) FROM _changed_sentences") == 0


def test_after_a_stopped_run_that_changed_much_the_first_search_makes_the_caches_for_all(
    tmp_path: Path, noted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "0.md").write_text("Ada Quimby sang.\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        for number in range(1, 5):
            (notes / f"{number}.md").write_text("Ben Okafor left. Cleo Marsh came.\n", encoding="utf-8")
        report = index(store, notes, cancelled=lambda: len(Snapshot.open(store).sentences.ids) == 9)
        assert report.stopped
        assert (Snapshot.saved(store) or pytest.fail()).changes is not None, "few changes are read from the log"
        monkeypatch.setattr(change_log, "MOST_SENTENCES", 3)
        assert Snapshot.saved(store) is None
        assert len(Snapshot.open(store).sentences.ids) == 9
        assert (Snapshot.saved(store) or pytest.fail()).changes is None
        index(store, notes)
        assert caches_fit(store, store.stamp)


def test_a_log_is_as_long_as_the_documents_whose_words_are_read_again(
    tmp_path: Path, noted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    (notes / "a").mkdir(parents=True)
    written = " ".join(f"Song {number} was of river {number * 31} and hill {number * 47}." for number in range(30))
    (notes / "a" / "0.md").write_text(f"{written}\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        (notes / "a").rename(notes / "b")
        monkeypatch.setattr(change_log, "MOST_SENTENCES", 20)
        index(store, notes)
        assert not caches_fit(store, store.stamp)
        (notes / "b").rename(notes / "c")
        monkeypatch.setattr(change_log, "READ_AGAIN", 1)
        index(store, notes)
        assert caches_fit(store, store.stamp)


def test_a_writer_that_notes_nothing_ends_the_log(tmp_path: Path, noted: None) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Ada Quimby sang.\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        assert logged_from(store)
        with store.transaction():
            store.touch()
        assert logged_from(store) is None
        (notes / "b.md").write_text("Ben Okafor left.\n", encoding="utf-8")
        index(store, notes)
        assert caches_fit(store, store.stamp)
        assert len(arrays(store).sentences) == 2


def test_caches_that_are_gone_are_made_anew_and_not_followed(tmp_path: Path, noted: None) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Ada Quimby sang.\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        remove_caches(store.folder)
        (notes / "b.md").write_text("Ben Okafor left.\n", encoding="utf-8")
        index(store, notes)
        assert caches_fit(store, store.stamp)


def test_ids_of_removed_sentences_are_not_given_out_again_while_a_log_is_kept(tmp_path: Path, noted: None) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in "ab":
        (notes / f"{name}.md").write_text("Ada Quimby sang.\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        highest = store.value("SELECT max(id) FROM nodes")
        (notes / "b.md").unlink()
        index(store, notes)
        (notes / "c.md").write_text("Ben Okafor left.\n", encoding="utf-8")
        index(store, notes)
        assert store.value("SELECT max(id) FROM sentences") > highest
