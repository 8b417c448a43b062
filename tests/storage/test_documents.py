"""Documents go in and come out whole; one that is removed leaves what would be there without it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from helpers.small_documents import add, derive, document, link_and_embed, linking_document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noderag_local.domain.documents import Document, SourceFile, WikiLink
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows
from noderag_local.storage.snapshots.snapshot import Snapshot

A = document("/notes/a.md", ["Ada wrote to Bob.", "It was late."], ["Bob answered."], title="Letters")
B = document("/notes/b.md", ["Bob met Carol.", "Carol knew Ada."])
C = document("/notes/c.md", ["Carol sang late."], ["Nobody heard it.", "Ada did."])


def test_ids_ascend_in_reading_order(store: Store) -> None:
    numbers = add(store, A, B)
    read = list(TextRows(store).all_sentences())
    ids = [
        number
        for found in read
        for number in (found.id, *(n for chunk in found.chunks for n in (chunk.id, *chunk.sentence_ids)))
    ]
    assert ids == sorted(ids) == list(range(1, 11))
    assert [found.id for found in read] == numbers


def test_records_of_a_file(store: Store) -> None:
    first, second = (document("/notes/a.jsonl", [f"Number {n}."], record=n) for n in (0, 7))
    numbers = add(store, first, second)
    (file,) = FileRows(store).known().values()
    assert DocumentRows(store).records(file.id) == {
        0: (numbers[0], first.content_hash),
        7: (numbers[1], second.content_hash),
    }


def test_tokens_are_counted_anew(store: Store) -> None:
    add(store, A)
    table = TextRows(store).sentence_table()
    assert table.tokens.tolist() == [4, 3, 2]
    DocumentRows(store).set_tokens((number, 100 + number) for number in table.ids.tolist())
    assert TextRows(store).sentence_table().tokens.tolist() == [100 + number for number in table.ids.tolist()]


def test_counts_must_be_one_a_sentence(store: Store) -> None:
    file_id = FileRows(store).begin(SourceFile("/notes/a.md", 1, 1), "/notes", False, read_by="markdown 1")
    with pytest.raises(ValueError, match="3 sentences"):
        DocumentRows(store).add(file_id, [A], [1, 2])
    assert store.value("SELECT count(*) FROM nodes") == 0


def test_lone_surrogates_are_kept_out_of_the_rows(store: Store) -> None:
    add(store, document("/notes/a.md", ["half \ud83d a face"], title="\udc00 title"))
    (found,) = TextRows(store).all_sentences()
    assert (found.title, found.sentences[0].text) == ("\ufffd title", "half \ufffd a face")


def test_a_removed_document_was_never_there(tmp_path: Path) -> None:
    with Store.open(tmp_path / "one", write=True) as store:
        numbers = add(store, A, B, C)
        link_and_embed(store)
        derive(store)
        three = digest(store)
        DocumentRows(store).remove([numbers[1]])
        FileRows(store).remove([FileRows(store).known()["/notes/b.md"].id])
        GraphRows(store).drop_orphans([NodeType.ENTITY, NodeType.KEYWORD])
        assert all(finding.ok for finding in integrity(store))
        derive(store)
        removed = digest(store)
        assert all(finding.ok for finding in integrity(store))
    assert removed == of_fresh(tmp_path / "two", [A, C]) != three


def test_a_link_to_a_removed_document_goes_with_it(store: Store) -> None:
    start, end = add(store, linking_document("/notes/a.md", "See b.", WikiLink("b", "b")), B)
    GraphRows(store).replace_edges(EdgeType.LINK, [start], [end], [1.0])
    DocumentRows(store).remove([end])
    assert GraphRows(store).edges(EdgeType.LINK)[0].tolist() == []


def test_nothing_of_a_removed_text_is_left_in_any_file(store: Store) -> None:
    secret = document("/notes/secret.md", ["The password is Xylophagous."], title="Quidnunc")
    add(store, A, secret)
    link_and_embed(store)
    derive(store)
    store.checkpoint()
    Snapshot.open(store)
    assert words_in(store.folder) == {b"xylophagous", b"quidnunc"}
    FileRows(store).remove([FileRows(store).known()["/notes/secret.md"].id])
    GraphRows(store).drop_orphans([NodeType.ENTITY, NodeType.KEYWORD])
    store.checkpoint()
    assert words_in(store.folder) == set()


class TestDerived:
    """What a language model made of a document that goes."""

    @pytest.fixture
    def numbers(self, store: Store) -> list[int]:
        numbers = add(store, A, B, C)
        link_and_embed(store)
        derive(store)
        return numbers

    def test_what_was_made_of_it_alone_goes(self, store: Store, numbers: list[int]) -> None:
        graph = GraphRows(store)
        DocumentRows(store).remove([numbers[1]])
        assert "Bob met Carol. Carol knew Ada." not in graph.nodes_of(NodeType.SEMANTIC_UNIT)[2]
        keys = graph.nodes_of(NodeType.RELATIONSHIP)[1]
        assert "Bob | Carol" not in keys
        assert "Ada | Bob" in keys
        assert len(WorkItemRows(store).state("decompose")) == 4

    def test_statements_of_it_go_where_others_stay(self, store: Store, numbers: list[int]) -> None:
        node = GraphRows(store).find(NodeType.RELATIONSHIP, ["Ada | Bob"])["Ada | Bob"]
        assert len(FragmentRows(store).of_node(node)) == 2
        DocumentRows(store).remove([numbers[0]])
        assert [text for _, text in FragmentRows(store).of_node(node)] == [
            "Ada | Bob in Bob met Carol. Carol knew Ada."
        ]

    def test_summaries_that_may_tell_of_it_go_and_are_due_again(self, store: Store, numbers: list[int]) -> None:
        graph = GraphRows(store)
        (community,) = graph.nodes_of(NodeType.COMMUNITY)[0].tolist()
        carol = graph.find(NodeType.ENTITY, ["Carol"])["Carol"]
        for stage, node in (("attributes", carol), ("elements", community)):
            WorkItemRows(store).put(stage, node, WorkItem("model", "1", "", "done", "", 1, 0))
        DocumentRows(store).remove([numbers[2]])
        assert "Carol" not in graph.nodes_of(NodeType.ATTRIBUTE)[1]
        assert "Bob" in graph.nodes_of(NodeType.ATTRIBUTE)[1]
        assert graph.nodes_of(NodeType.HIGH_LEVEL_ELEMENT)[1] == graph.nodes_of(NodeType.OVERVIEW)[1] == []
        assert graph.nodes_of(NodeType.COMMUNITY)[0].tolist() == [community]
        assert WorkItemRows(store).stages() == ["decompose"]

    def test_entities_that_only_the_model_found_live_as_long_as_their_chunk(self, store: Store) -> None:
        (number,) = add(store, B)
        derive(store)
        graph = GraphRows(store)
        graph.drop_orphans([NodeType.ENTITY, NodeType.KEYWORD])
        assert graph.nodes_of(NodeType.ENTITY)[1] == ["Ada", "Bob", "Carol"]
        DocumentRows(store).remove([number])
        graph.drop_orphans([NodeType.ENTITY, NodeType.KEYWORD])
        counts = {kind: count for kind, count in Overview(store).nodes() if count}
        assert counts == {NodeType.COMMUNITY: 1}
        assert [count for _, count in Overview(store).edges() if count] == []


def words_in(folder: Path) -> set[bytes]:
    content = b"".join(path.read_bytes() for path in folder.iterdir()).lower()
    # FTS5 stores a word without the letters that it shares with the one before it.
    return {word for word in (b"xylophagous", b"quidnunc") if word[1:] in content}


WORDS = st.sampled_from(["Ada", "Bob", "Carol", "late", "early", "日本語", "naïve", "1815"])
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=3)
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=2)
STEPS = st.lists(
    st.tuples(st.sampled_from(["/notes/a.md", "/notes/b.md", "/notes/c.md"]), st.none() | PARAGRAPHS), max_size=8
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_any_way_to_the_same_notes_gives_the_same_vault(steps: list[tuple[str, list[list[str]] | None]]) -> None:
    """A step is a file and its new text, or None where the file goes."""
    left: dict[str, Document] = {}
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(Path(folder) / "one", write=True) as store:
            for path, paragraphs in steps:
                if path in left:
                    FileRows(store).remove([FileRows(store).known()[path].id])
                    del left[path]
                if paragraphs is not None:
                    left[path] = document(path, *paragraphs)
                    add(store, left[path])
                    link_and_embed(store)
                    derive(store)
            GraphRows(store).drop_orphans([NodeType.ENTITY, NodeType.KEYWORD])
            assert all(finding.ok for finding in integrity(store))
            derive(store)
            found = digest(store)
            assert all(finding.ok for finding in integrity(store))
            for index in ("chunk_words", "entity_names"):
                store.run(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        assert found == of_fresh(Path(folder) / "two", list(left.values()))


def of_fresh(folder: Path, documents: list[Document]) -> str:
    with Store.open(folder, write=True) as store:
        add(store, *documents)
        link_and_embed(store)
        derive(store)
        return digest(store)


def test_the_digest_tells_vectors_and_weights(store: Store) -> None:
    add(store, A)
    link_and_embed(store)
    seen = {digest(store)}
    sources, targets, weights = GraphRows(store).edges(EdgeType.MENTION)
    GraphRows(store).replace_edges(EdgeType.MENTION, sources, targets, weights + np.float32(0.5))
    seen.add(digest(store))
    store.run("UPDATE embeddings SET vector = zeroblob(16) WHERE node_id = (SELECT min(node_id) FROM embeddings)")
    seen.add(digest(store))
    assert len(seen) == 3
