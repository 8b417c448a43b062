"""Writing semantic units: the model says each in words of its own that can be understood alone (Xu et al. 2025, section 2.2).

In the paper, the call that decomposes a chunk paraphrases its units. Here a unit is a range of sentences, and a call of its own
writes a text beside it, so that the range stays: the text is searched and shown, and the range is cited and opened. What the
notes do not say is not kept of it; without anything else, the unit has no text and the range stands for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.extraction.statements.semantic_units import unit_key
from noderag_local.graph.summaries.grounding import SummarySources, grounded
from noderag_local.graph.summaries.model_stage import Verdict
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import prompt_version, turns
from noderag_local.models.llm.request_hash import request_hash
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import ChunkText, TextRows, label_of
from noderag_local.storage.graph.drawn_texts import DrawnTexts
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.work_items import WorkItemRows
from noderag_local.text.token_estimate import roughly_estimated_tokens

WRITING = "written-units"
"""Name of the stage."""
BEFORE_TOKENS = 120
"""Estimated tokens of the sentences before a unit, which tell whom "she" refers to."""
MOST_WORDS = 60
ANSWER_TOKENS = 90
_PARSER = 1
_NAMING = (EdgeType.MENTION, EdgeType.SUBJECT, EdgeType.RECOGNISED)


@dataclass(frozen=True, slots=True)
class UnitInput:
    """A semantic unit with what stands above and before it in one of its chunks."""

    key: str
    """Identity of the unit, and of the text about it."""
    text: str
    """Its sentences, word for word."""
    label: str
    """Title of the document and headings."""
    before: str
    """Sentences of the chunk before it."""
    names: tuple[str, ...]
    """Names in all these sentences, without those that have a digit: a number is taken from the unit alone."""
    sentences: tuple[int, ...]
    """The unit's sentences and those before it."""

    def request(self) -> Request:
        """Returns what the model is asked."""
        above = [f"Title: {self.label}"] * bool(self.label) + [f"Before: {self.before}"] * bool(self.before)
        asked = "\n".join([*above, f"Passage: {self.text}", "In other words:"])
        told = (*turns("papers.noderag", "written_unit"), Message(Role.USER, asked))
        return Request(told, ANSWER_TOKENS, stop=("\n",))

    def read(self, text: str) -> str:
        """Returns the sentences of the model's text that the unit supports; "" if there are none."""
        return grounded(text, SummarySources([self.label, self.text, *self.names]), MOST_WORDS)


class WrittenUnitStage:
    """A `Stage` whose items are the semantic units, those that name most entities first.

    A text is stale when what the model would be asked has changed.
    """

    name = WRITING

    def __init__(self) -> None:
        self.prompt_version = prompt_version("papers.noderag", "written_unit", _PARSER)

    def items(self, store: Store) -> Sequence[int]:
        """Returns the semantic units; of those that name as many entities, the one with the first key comes first."""
        graph = GraphRows(store)
        ids, keys, _ = graph.nodes_of(NodeType.SEMANTIC_UNIT)
        named = np.bincount(np.searchsorted(ids, graph.edges(EdgeType.NAMES)[0]), minlength=len(ids))
        order = sorted(range(len(ids)), key=lambda at: (-int(named[at]), keys[at]))
        return [int(ids[at]) for at in order]

    def forget_others(self, store: Store, items: Sequence[int]) -> None:
        """Does nothing: a text goes with its unit."""

    def is_stale(self, store: Store, node: int) -> bool:
        """Returns whether the model would be asked something else now."""
        request = self.request(store, node)
        return (request_hash(request) if request else "") != WorkItemRows(store).input_hash(self.name, node)

    def request(self, store: Store, node: int) -> Request | None:
        """Returns a request with the unit and what stands above and before it."""
        found = _input(store, node)
        return found.request() if found else None

    def retry(self, store: Store, node: int) -> Request | None:
        """Returns None: when the model's text cannot be used, the unit's sentences stand for themselves."""
        return None

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        """Stores the sentences of the text that the unit supports; without any, the unit has no text."""
        found = _input(store, node)
        rows = DrawnTexts(store, NodeType.WRITTEN_UNIT)
        said = found.read(text) if found else ""
        if found and said:
            rows.put_text(found.key, said, [node], found.sentences)
            return Verdict(1, 0)
        GraphRows(store).remove_nodes([*rows.of([node]).values()])
        return Verdict(0, 1)

    def drop(self, store: Store) -> None:
        """Removes all texts."""
        DrawnTexts(store, NodeType.WRITTEN_UNIT).keep_only(())


def _input(store: Store, node: int) -> UnitInput | None:
    """Returns a unit as one of its chunks has it; None if it is no longer in the graph.

    Of several chunks with the same sentences, the one whose request comes first in alphabetical order is taken, so that ids do
    not matter.
    """
    graph = GraphRows(store)
    parts = frozenset(graph.targets_of((EdgeType.PART,), [node]).get(node, ()))
    if not parts:
        return None
    (text,) = graph.names([node])
    chunks = dict.fromkeys(chunk for chunk, _ in FragmentRows(store).of_node(node))
    found = [_in_chunk(store, text, parts, TextRows(store).chunk_text(chunk)) for chunk in chunks]
    return min(found, key=lambda one: one.request().messages[-1].content, default=None)


def _in_chunk(store: Store, text: str, parts: frozenset[int], chunk: ChunkText) -> UnitInput:
    """Returns a unit as a chunk has it.

    Args:
        store: the vault.
        text: the unit's sentences.
        parts: ids of all sentences with this text, in all chunks.
        chunk: the chunk.
    """
    over = {chunk.title, *chunk.headings}
    own = [number for number in chunk.sentence_ids if number in parts]
    start = chunk.sentence_ids.index(own[0])
    before: list[int] = []
    left = BEFORE_TOKENS
    for at in range(start - 1, -1, -1):
        left -= roughly_estimated_tokens(chunk.sentences[at])
        if left < 0:
            break
        if chunk.sentences[at] not in over:
            before.insert(0, at)
    shown = (*(chunk.sentence_ids[at] for at in before), *own)
    graph = GraphRows(store)
    ends = {end for found in graph.targets_of(_NAMING, shown).values() for end in found}
    names = sorted(name for name in graph.names(sorted(ends)) if not any(sign.isdigit() for sign in name))
    said = " ".join(" ".join(chunk.sentences[at].split()) for at in before)
    label = label_of(chunk.title, chunk.headings)
    return UnitInput(unit_key(text), " ".join(text.split()), label, said, tuple(names), shown)
