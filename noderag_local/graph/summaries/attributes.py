"""Lets the language model describe each important entity from its semantic units and relationships (G2 of NodeRAG)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.summaries.entity_notes import EntityNotes, extract, from_name_on, notes_about
from noderag_local.graph.summaries.entity_summary import EXTRACTED
from noderag_local.graph.summaries.grounding import SummarySources, grounded
from noderag_local.graph.summaries.heterograph import Heterograph, Note, read_heterograph
from noderag_local.graph.summaries.important import important_entities
from noderag_local.graph.summaries.model_stage import Verdict
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import prompt_version, turns
from noderag_local.storage.database.fact_names import ATTRIBUTE_OF
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows

MOST_TOKENS = 80
MOST_WORDS = 60
GROWTH = 1.25
"""An attribute is made again when its entity has this many times as many notes as before."""

_PARSER = 1


class AttributeStage:
    """A `Stage` that describes the important entities; entities with merged names are one item.

    An attribute belongs to every entity whose notes it was made from, so it is removed when any of these notes is removed.
    `items` reads the graph again on every call, since other stages change it in between.
    """

    name = "attributes"

    def __init__(self) -> None:
        self.prompt_version = prompt_version("graph.summaries", "attribute", _PARSER)
        self._graph: Heterograph | None = None

    def items(self, store: Store) -> Sequence[int]:
        """Returns the important entities, most important first."""
        self._graph = read_heterograph(store)
        return [int(self._graph.ids[row]) for row in important_entities(self._graph)]

    def forget_others(self, store: Store, items: Sequence[int]) -> None:
        """Removes the attributes of all other entities."""
        graph = self._graph or read_heterograph(store)
        self._drop_others(store, {graph.keys[graph.row_of[node]] for node in items})

    def is_stale(self, store: Store, node: int) -> bool:
        """Returns whether the entity's notes grew by a quarter, lost one that was used, or its merged names changed."""
        about = self._about(store, node)
        if about is None:
            return False
        known = store.facts.get(ATTRIBUTE_OF + about.key)
        if known is None:
            return True
        count, *used = known.split()
        names = {_mark(other.key) for other in about.others}
        marks = {_mark(one.note.text) for one in about.notes} | names
        is_of_others = not names.issubset(used) or not marks.issuperset(used)
        return is_of_others or len(about.notes) >= GROWTH * int(count)

    def request(self, store: Store, node: int) -> Request | None:
        """Returns a request with the entity's name and the notes about it."""
        about = self._about(store, node)
        notes = about.chosen() if about else []
        if about is None or not notes:
            return None
        lines = "\n".join(f"- {note.text}" for note in notes)
        question = f"Name: {about.called}\nNotes:\n{lines}\nEntry:"
        return Request(
            (*turns("graph.summaries", "attribute"), Message(Role.USER, question)), MOST_TOKENS, stop=("\n",)
        )

    def retry(self, store: Store, node: int) -> Request | None:
        """Returns None: when the model's text cannot be used, the notes themselves serve as the attribute."""
        return None

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        """Stores the sentences of the text that the notes support; if there are none, stores the best notes instead."""
        about = self._about(store, node)
        notes = about.chosen() if about else []
        if about is None or not notes:
            return Verdict(0, 1)
        sources = SummarySources([*about.names, *(note.text for note in notes)])
        written = from_name_on(grounded(text, sources, MOST_WORDS), about.names)
        _put(store, about, notes, written or extract(notes), 1.0 if written else EXTRACTED)
        return Verdict(1, 0) if written else Verdict(0, 1)

    def drop(self, store: Store) -> None:
        """Removes all attributes."""
        self._drop_others(store, set())
        self._graph = None

    def _drop_others(self, store: Store, kept: set[str]) -> None:
        graph = GraphRows(store)
        ids, keys, _ = graph.nodes_of(NodeType.ATTRIBUTE)
        gone = [int(number) for number, key in zip(ids, keys, strict=True) if key not in kept]
        if gone:
            graph.remove_nodes(gone)
        for name in [name for name in store.facts if name.startswith(ATTRIBUTE_OF)]:
            if name.removeprefix(ATTRIBUTE_OF) not in kept:
                del store.facts[name]

    def _about(self, store: Store, node: int) -> EntityNotes | None:
        """Returns the notes about an entity; None if it is no longer in the graph."""
        if self._graph is None:
            self._graph = read_heterograph(store)
        row = self._graph.row_of.get(node)
        return None if row is None else notes_about(self._graph, row)


def _put(store: Store, about: EntityNotes, used: Sequence[Note], text: str, weight: float) -> None:
    graph = GraphRows(store)
    (attribute,) = graph.put_nodes(NodeType.ATTRIBUTE, [(about.key, text)]).tolist()
    described = [about.node, *(other.node for other in about.others)]
    graph.remove_edges_of(EdgeType.DESCRIBES, [attribute])
    graph.add_edges(EdgeType.DESCRIBES, [attribute] * len(described), described, [weight] * len(described))
    texts = [note.text for note in used] + [other.key for other in about.others]
    marks = " ".join(sorted({_mark(text) for text in texts}))
    store.facts[ATTRIBUTE_OF + about.key] = f"{len(about.notes)} {marks}"


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
