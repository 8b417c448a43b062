"""Small documents, and a vault with a graph that follows from their texts alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.documents import BlockKind, Chunk, Document, Passage, Sentence, SourceFile, WikiLink
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.texts import StoredChunk, TextRows
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows
from noderag_local.storage.vectors.vectors import VectorRows

DIMENSION = 8
ROOT = "/notes"


def document(path: str, *paragraphs: Sequence[str], record: int = 0, title: str = "") -> Document:
    """A document with one chunk a paragraph; a paragraph is its sentences."""
    chunks: list[Chunk] = []
    start = position = 0
    for number, sentences in enumerate(paragraphs):
        text = " ".join(sentences)
        read = []
        at = start
        for sentence in sentences:
            read.append(Sentence(position, sentence, BlockKind.PARAGRAPH, _passage(at, sentence, number)))
            at += len(sentence) + 1
            position += 1
        chunks.append(Chunk(number, text, ("Top", f"Part {number}"), _passage(start, text, number), tuple(read)))
        start += len(text) + 2
    content_hash = hashlib.sha256(repr(paragraphs).encode()).hexdigest()
    return Document(path, record, title, "utf-8", content_hash, tuple(chunks), ("tag",), ("other name",))


def linking_document(path: str, text: str, *links: WikiLink) -> Document:
    """A document of one sentence that has links and a tag."""
    sentence = Sentence(0, text, BlockKind.LIST_ITEM, _passage(0, text, 0), links, ("urgent",))
    return Document(path, 0, "", "utf-8", "00", (Chunk(0, text, (), _passage(0, text, 0), (sentence,)),))


def add(store: Store, *documents: Document) -> list[int]:
    """Writes documents, each file's together; sentences count as many tokens as they have words."""
    numbers: list[int] = []
    with store.transaction():
        for path in dict.fromkeys(found.path for found in documents):
            of_file = [found for found in documents if found.path == path]
            file_id = FileRows(store).begin(SourceFile(path, 10, 20), ROOT, False, read_by="markdown 1")
            tokens = [
                len(sentence.text.split())
                for found in of_file
                for chunk in found.chunks
                for sentence in chunk.sentences
            ]
            numbers += DocumentRows(store).add(file_id, of_file, tokens)
            FileRows(store).finish(file_id, 10, 20, read_by="markdown 1")
    return numbers


def link_and_embed(store: Store) -> None:
    """Entities are words with a capital, keywords the others; sentences that share an entity are near."""
    sentences = {
        number: sentence.text
        for found in TextRows(store).all_sentences()
        for number, sentence in zip(found.sentence_ids, found.sentences, strict=True)
    }
    words = {number: set(re.findall(r"\w+", text)) for number, text in sentences.items()}
    with store.transaction():
        for node, edge, is_meant in (
            (NodeType.ENTITY, EdgeType.MENTION, str.istitle),
            (NodeType.KEYWORD, EdgeType.KEYWORD, str.islower),
        ):
            keys = sorted({word for found in words.values() for word in found if is_meant(word)})
            ids = dict(zip(keys, GraphRows(store).put_nodes(node, [(key, key) for key in keys]).tolist(), strict=True))
            pairs = [(number, ids[word]) for number, found in words.items() for word in found if word in ids]
            GraphRows(store).replace_edges(edge, *ends(pairs), np.ones(len(pairs)))
        near = [
            (a, b) for a, b in combinations(sorted(words), 2) if any(word.istitle() for word in words[a] & words[b])
        ]
        GraphRows(store).replace_edges(EdgeType.SEMANTIC, *ends(near), np.full(len(near), 0.5))
        GraphRows(store).drop_orphans([NodeType.ENTITY, NodeType.KEYWORD])
        chunks = dict(store.rows("SELECT id, text FROM chunks ORDER BY id"))
        texts = sentences | chunks
        VectorRows(store).put(list(texts), np.array([vector(text) for text in texts.values()]).reshape(-1, DIMENSION))


def ends(pairs: Sequence[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    columns = np.array(pairs, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def vector(text: str) -> NDArray[np.float32]:
    """A unit vector that only this text has."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    return unit_rows(1, DIMENSION, seed)[0]


def unit_rows(count: int, dimension: int, seed: int) -> NDArray[np.float32]:
    """(count, dimension) unit rows."""
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _passage(start: int, text: str, line: int) -> Passage:
    return Passage(
        start, start + len(text), start, start + len(text.encode("utf-8", "surrogatepass")), line + 1, line + 1
    )


def derive(store: Store) -> None:
    """What a language model makes of texts, by rule: a unit a chunk, a relationship a pair of names, their summaries."""
    graph, fragments = GraphRows(store), FragmentRows(store)
    with store.transaction():
        for found in TextRows(store).all_sentences():
            for chunk in found.chunks:
                if not fragments.of_chunk(chunk.id):
                    _decompose(store, chunk)
        ids, keys, _ = graph.nodes_of(NodeType.ENTITY)
        for entity, key in zip(ids.tolist(), keys, strict=True):
            units = graph.names([unit for unit, _, _ in graph.edges_to(EdgeType.NAMES, [entity])])
            if units:
                (attribute,) = graph.put_nodes(NodeType.ATTRIBUTE, [(key, " ".join(sorted(units)))])
                graph.add_edges(EdgeType.DESCRIBES, [attribute], [entity], [1.0])
        _summarise(graph)
        for kind in (NodeType.SEMANTIC_UNIT, NodeType.ATTRIBUTE, NodeType.HIGH_LEVEL_ELEMENT):
            missing = VectorRows(store).missing_nodes(kind)
            rows = np.array([vector(name) for name in graph.names(missing)]).reshape(-1, DIMENSION)
            VectorRows(store).put(missing, rows)
        units = sorted(graph.nodes_of(NodeType.SEMANTIC_UNIT)[0].tolist())
        near = list(combinations(units, 2))
        graph.replace_edges(EdgeType.SIMILAR, *ends(near), np.full(len(near), 0.25))


def _decompose(store: Store, chunk: StoredChunk) -> None:
    graph, fragments = GraphRows(store), FragmentRows(store)
    text = " ".join(sentence.text for sentence in chunk.sentences)
    names = sorted({word for word in re.findall(r"\w+", text) if word.istitle()})
    entities = graph.put_nodes(NodeType.ENTITY, [(name, name) for name in names], rename=False).tolist()
    (unit,) = graph.put_nodes(NodeType.SEMANTIC_UNIT, [(text, text)]).tolist()
    fragments.replace(chunk.id, NodeType.SEMANTIC_UNIT, [(unit, "")])
    graph.add_edges(EdgeType.INSERTED, [chunk.id], [unit], [1.0])
    graph.add_edges(EdgeType.PART, [unit] * len(chunk.sentence_ids), chunk.sentence_ids, [1.0] * len(chunk.sentences))
    graph.add_edges(EdgeType.NAMES, [unit] * len(entities), entities, [1.0] * len(entities))
    graph.add_edges(EdgeType.RECOGNISED, [chunk.sentence_ids[0]] * len(entities), entities, [1.0] * len(entities))
    pairs = list(combinations(range(len(names)), 2))
    keys = [(f"{names[a]} | {names[b]}", "") for a, b in pairs]
    relations = graph.put_nodes(NodeType.RELATIONSHIP, keys).tolist()
    fragments.replace(
        chunk.id,
        NodeType.RELATIONSHIP,
        [(node, f"{key} in {text}") for node, (key, _) in zip(relations, keys, strict=True)],
    )
    for node, pair in zip(relations, pairs, strict=True):
        graph.add_edges(EdgeType.RELATES, [node, node], [entities[at] for at in pair], [1.0, 1.0])
    done = WorkItem("model", "1", hashlib.sha256(text.encode()).hexdigest(), "done", "", len(names), 0)
    WorkItemRows(store).put("decompose", chunk.id, done)


def _summarise(graph: GraphRows) -> None:
    """One community of everything, with an element and its title."""
    for kind in (NodeType.COMMUNITY, NodeType.HIGH_LEVEL_ELEMENT, NodeType.OVERVIEW):
        graph.remove_nodes(graph.nodes_of(kind)[0].tolist())
    members, _, texts = graph.nodes_of(NodeType.SEMANTIC_UNIT)
    if not len(members):
        return
    community, element, title = (
        graph.put_nodes(kind, [("all", name)])[0].item()
        for kind, name in (
            (NodeType.COMMUNITY, ""),
            (NodeType.HIGH_LEVEL_ELEMENT, " ".join(sorted(texts))),
            (NodeType.OVERVIEW, "All"),
        )
    )
    graph.replace_edges(EdgeType.MEMBER, [community] * len(members), members, np.ones(len(members)))
    graph.replace_edges(EdgeType.ELEMENT, [community], [element], [1.0])
    graph.replace_edges(EdgeType.TITLE, [title], [element], [1.0])
    graph.replace_edges(EdgeType.MATCHED, [element] * len(members), members, np.ones(len(members)))
