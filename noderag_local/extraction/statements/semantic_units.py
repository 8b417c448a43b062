"""G1 of NodeRAG: chunks decomposed by the model into semantic units, entities and relationships (section 2.2).

The model writes statements (`statement_lines`); all else follows from them. Their ends are entities, joined by identity
to those that rules found. Statements about the same two entities are one relationship. A semantic unit is a sentence
with the sentences after it about which nothing was stated: verbatim, so that it cannot be invented, costs no tokens
and can be cited.

With gleaning (Edge et al. 2024; the released code of LightRAG), the model is then shown what it wrote and asked for
what it missed, for some rounds or until it adds nothing. The papers go on with the conversation and ask whether anything was
missed; here the text stands in one message with the facts so far, so that the instructions stay in the model's cache, and a
model that missed nothing writes nothing. Known facts may be written again and are then passed over: when they were barred, a model
of 1.5 billion parameters wrote them with another object, most of which was wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.extraction.same_names.merging import merge_names
from noderag_local.extraction.statements.numbered_text import NumberedText
from noderag_local.extraction.statements.statement_constraint import StatementConstraint
from noderag_local.extraction.statements.statement_lines import Parsed, Statement, parse
from noderag_local.graph.algorithms.chunk_neighbours import central_chunks, nearest_chunks
from noderag_local.graph.algorithms.sparse import between, incidence
from noderag_local.graph.summaries.model_stage import READING_CHUNKS, SETTINGS_AFTER, Verdict
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import prompt_file, prompt_version
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import ChunkText, TextRows, label_of
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.text.identity import entity_key

TOKENS_A_LINE = 26
"""Most tokens of a line; on musique-train a line that is kept took 17 on average."""
MOST_TOKENS = 400
MOST_SENTENCES_A_UNIT = 3
_PARSER = 1
"""Goes up when the constraint, the limits of a request, or what is made of the lines changes; see `prompt_version`."""
_GLEANING = 1
"""The same for the requests of gleaning."""
BETWEEN_KEYS = " | "
"""Separator of two keys; it cannot stand in a key that was copied from a numbered text."""


class Decomposition:
    """Stage in which the model reads chunks; its items are chunks. See `model_stage.Stage`."""

    name = READING_CHUNKS

    def __init__(self, gleaning_rounds: int = 0) -> None:
        """Takes how often the model is asked for what it missed; see `Settings.gleaning_rounds`."""
        self.prompt_version = prompt_version("extraction.statements", "statements", _PARSER)
        if gleaning_rounds:
            gleaning = prompt_version("extraction.statements", "gleaning", _GLEANING)
            self.prompt_version += f"{SETTINGS_AFTER}{gleaning}, {gleaning_rounds} rounds"
        self.most_requests = 1 + gleaning_rounds
        self._instructions = prompt_file("extraction.statements", "statements").partition("\n")[2].strip()
        self._more = prompt_file("extraction.statements", "gleaning").partition("\n")[2].strip()

    @property
    def example(self) -> str:
        """Returns what the prompt shows the model: a numbered text and its lines."""
        return self._instructions.partition("Example:\n")[2]

    def items(self, store: Store) -> Sequence[int]:
        """Returns all chunks, the most central first."""
        return central_first(store)

    def forget_others(self, store: Store, items: Sequence[int]) -> None:
        """Does nothing: the results of a chunk go with it."""

    def is_stale(self, store: Store, node: int) -> bool:
        """Returns False: a chunk whose text changes is another chunk."""
        return False

    def request(self, store: Store, node: int) -> Request | None:
        """Returns the request for all sentences of a chunk."""
        return self._asked(numbered_chunk(store, node))

    def further(self, store: Store, node: int, texts: Sequence[str]) -> Request | None:
        """Returns the request for what the answers so far missed; None if the last one added nothing, or was the last round."""
        if len(texts) >= self.most_requests:
            return None
        text = numbered_chunk(store, node)
        before, found = (self._parsed(some, text).statements for some in (texts[:-1], texts))
        return self._asked(text, found) if len(found) > len(before) else None

    def retry(self, store: Store, node: int) -> Request | None:
        """Returns the request for the first half of a chunk; its sentences keep their numbers."""
        text = numbered_chunk(store, node)
        half = text.sentences[: len(text.sentences) // 2]
        return self._asked(NumberedText(text.title, half)) if half else None

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        """Replaces the chunk's semantic units, relationships and recognised entities."""
        chunk = _read(store, node)
        parsed = parse(text, _numbered(chunk), self.most_requests)
        written = _Written(store, node, chunk)
        was_there = written.clear()
        if parsed.statements:
            written.relationships(parsed.statements)
            written.units(parsed.statements)
        if was_there:
            GraphRows(store).drop_orphans([NodeType.ENTITY])
        merge_names(store, {entity_key(name) for one in parsed.statements for name in (one.subject, one.object)})
        return Verdict(len(parsed.statements), parsed.rejected, ok=bool(parsed.statements) or not text.strip())

    def drop(self, store: Store) -> None:
        """Removes semantic units, relationships, and the entities that only the model found."""
        graph = GraphRows(store)
        for kind in (NodeType.SEMANTIC_UNIT, NodeType.RELATIONSHIP):
            graph.remove_nodes(graph.nodes_of(kind)[0].tolist())
        graph.replace_edges(EdgeType.RECOGNISED, [], [], [])
        graph.drop_orphans([NodeType.ENTITY])
        merge_names(store, ())

    def _asked(self, text: NumberedText, known: Sequence[Statement] = ()) -> Request | None:
        """Returns the request for the facts of a text, or for those that are missing among the known ones."""
        if not text.sentences:
            return None
        lines = [f"{statement.sentence + 1} {statement}" for statement in known]
        asked = "\n".join([str(text), *lines, *[self._more] * bool(known)])
        return Request(
            messages=(Message(Role.SYSTEM, self._instructions), Message(Role.USER, asked)),
            max_tokens=min(MOST_TOKENS, TOKENS_A_LINE * sum(text.lines)),
            constraint=lambda: StatementConstraint(text),
        )

    def _parsed(self, texts: Sequence[str], text: NumberedText) -> Parsed:
        return parse("\n".join(texts), text, self.most_requests)


class _Written:
    """Writes what follows from a chunk's statements to the store."""

    def __init__(self, store: Store, chunk_id: int, chunk: ChunkText) -> None:
        self._graph, self._fragments, self._vectors = GraphRows(store), FragmentRows(store), VectorRows(store)
        self._chunk_id, self._chunk = chunk_id, chunk

    def clear(self) -> bool:
        """Removes what was made of the chunk before; whether there was anything."""
        before = [node for node, _ in self._fragments.of_chunk(self._chunk_id)]
        self._vectors.remove(before)
        for kind in (NodeType.SEMANTIC_UNIT, NodeType.RELATIONSHIP):
            self._fragments.replace(self._chunk_id, kind, [])
        for edges in (EdgeType.RECOGNISED, EdgeType.STATED):
            self._graph.remove_edges_of(edges, self._chunk.sentence_ids)
        return bool(before)

    def relationships(self, statements: Sequence[Statement]) -> None:
        """Writes R nodes, their entities and statements, and in which sentence each entity was recognised."""
        entities = self._entities(statements)
        pairs = [tuple(sorted((entity_key(one.subject), entity_key(one.object)))) for one in statements]
        names = [(BETWEEN_KEYS.join(pair), BETWEEN_KEYS.join(pair)) for pair in pairs]
        nodes = self._graph.put_nodes(NodeType.RELATIONSHIP, names, rename=False).tolist()
        rows = [(node, str(statement)) for node, statement in zip(nodes, statements, strict=True)]
        # What was embedded were the statements that these nodes had before.
        self._vectors.remove(nodes)
        self._fragments.replace(self._chunk_id, NodeType.RELATIONSHIP, rows)
        ends = {(node, entities[key]) for node, pair in zip(nodes, pairs, strict=True) for key in pair}
        self._add(EdgeType.RELATES, ends)
        sentences = self._chunk.sentence_ids
        stated = {(node, sentences[one.sentence]) for node, one in zip(nodes, statements, strict=True)}
        self._add(EdgeType.STATED, stated)
        recognised = {
            (sentences[one.sentence], entities[entity_key(name)])
            for one in statements
            for name in (one.subject, one.object)
        }
        self._add(EdgeType.RECOGNISED, recognised)

    def units(self, statements: Sequence[Statement]) -> None:
        """Writes S nodes, their sentences, and the entities that those name."""
        groups = unit_ranges({one.sentence for one in statements}, len(self._chunk.sentences))
        texts = [" ".join(self._chunk.sentences[part.start : part.stop]) for part in groups]
        nodes = self._graph.put_nodes(
            NodeType.SEMANTIC_UNIT, [(unit_key(text), text) for text in texts], rename=False
        ).tolist()
        self._fragments.replace(self._chunk_id, NodeType.SEMANTIC_UNIT, [(node, "") for node in dict.fromkeys(nodes)])
        self._add(EdgeType.INSERTED, {(self._chunk_id, node) for node in nodes})
        ids = self._chunk.sentence_ids
        parts = {(node, ids[at]) for node, group in zip(nodes, groups, strict=True) for at in group}
        self._add(EdgeType.PART, parts)
        named = self._graph.targets_of((EdgeType.MENTION, EdgeType.RECOGNISED), ids)
        self._add(EdgeType.NAMES, {(node, entity) for node, sentence in parts for entity in named.get(sentence, ())})

    def _entities(self, statements: Sequence[Statement]) -> dict[str, int]:
        names = {entity_key(name): name for one in statements for name in (one.object, one.subject)}
        ids = self._graph.put_nodes(NodeType.ENTITY, list(names.items()), rename=False)
        return dict(zip(names, ids.tolist(), strict=True))

    def _add(self, kind: EdgeType, pairs: set[tuple[int, int]]) -> None:
        ordered = sorted(pairs)
        sources, targets = [pair[0] for pair in ordered], [pair[1] for pair in ordered]
        self._graph.add_edges(kind, sources, targets, [1.0] * len(ordered))


def unit_key(text: str) -> str:
    """Returns the identity of a semantic unit: one of its sentences, so that the same sentences are one unit."""
    return sha256(text.encode()).hexdigest()[:32]


def unit_ranges(stated: set[int], sentences: int) -> list[range]:
    """Returns the sentences of each unit: one with statements and those after it without, at most MOST_SENTENCES_A_UNIT.

    Args:
        stated: sentences with statements.
        sentences: of the chunk.
    """
    starts = [0]
    for at in range(1, sentences):
        opened = any(number in stated for number in range(starts[-1], at))
        if (at in stated and opened) or at - starts[-1] >= MOST_SENTENCES_A_UNIT:
            starts.append(at)
    return [range(start, end) for start, end in zip(starts, [*starts[1:], sentences], strict=True)]


def _read(store: Store, chunk_id: int) -> ChunkText:
    """Reads a chunk without the sentences that are its own title or headings: the model reads those above the text."""
    chunk = TextRows(store).chunk_text(chunk_id)
    over = {chunk.title, *chunk.headings}
    kept = [at for at, sentence in enumerate(chunk.sentences) if sentence not in over]
    ids = tuple(chunk.sentence_ids[at] for at in kept)
    return ChunkText(chunk.title, chunk.headings, ids, tuple(chunk.sentences[at] for at in kept))


def numbered_chunk(store: Store, chunk_id: int) -> NumberedText:
    """Returns a chunk as the model reads it."""
    return _numbered(_read(store, chunk_id))


def _numbered(chunk: ChunkText) -> NumberedText:
    return NumberedText.of(label_of(chunk.title, chunk.headings), chunk.sentences)


def central_first(store: Store) -> list[int]:
    """Returns the ids of all chunks, the most central first; ties by id.

    They are central in the graph of chunks (KET-RAG, section 4.1, "core chunks"). With little time, the relationships of
    these are worth more than those of any others.
    """
    snapshot = Snapshot.open(store)
    chunks, sentences = snapshot.chunks.ids, snapshot.sentences
    said = snapshot.edges[EdgeType.KEYWORD]
    keywords = distinct(said[1])
    keyword_edges = incidence(*between(said, sentences.ids, keywords), (len(sentences.ids), len(keywords)))
    vectors = VectorIndex.open(store, NodeType.TEXT).aligned(chunks).astype(np.float32)
    near = nearest_chunks(np.searchsorted(chunks, sentences.chunk_ids), keyword_edges, vectors)
    return [int(number) for number in chunks[central_chunks(near)]]
