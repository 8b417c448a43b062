"""Lets the language model summarise each community in up to three titled high-level elements (G3 of NodeRAG)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.summaries.communities import Community, community_of
from noderag_local.graph.summaries.grounding import SummarySources, grounded
from noderag_local.graph.summaries.heterograph import Heterograph, Note, read_heterograph
from noderag_local.graph.summaries.high_level import forget_elements, put_elements
from noderag_local.graph.summaries.model_stage import Verdict
from noderag_local.graph.summaries.summary_lines import (
    DESCRIPTION_WORDS,
    MOST_LINES,
    ElementLine,
    SummaryConstraint,
    parse,
)
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import prompt_version, turns
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.identity import entity_key
from noderag_local.text.keywords import keywords

PER_CHUNK = 0.15
"""Maximum number of summarised communities per decomposed chunk. With attributes, they cost a third of decomposition."""
MOST_TOKENS = 200
FEWEST_CONTENT_WORDS = 4
"""Minimum number of content words of a description; numbers do not count."""
TITLE_SHARE = 0.5
"""Minimum share of a title's content words that must occur in the notes."""

_PARSER = 2


class ElementStage:
    """A `Stage` that summarises communities.

    A community is identified by the notes that the prompt shows of it. When they change, it is another community, so no
    element becomes stale.
    """

    name = "elements"

    def __init__(self) -> None:
        self.prompt_version = prompt_version("graph.summaries", "element", _PARSER)
        self._graph: Heterograph | None = None
        self._members: dict[int, list[int]] = {}

    def items(self, store: Store) -> Sequence[int]:
        """Returns the communities, those from most chunks first."""
        self._read(store)
        ids, keys, _ = GraphRows(store).nodes_of(NodeType.COMMUNITY)
        found = [(self._community(store, int(number)), key, int(number)) for number, key in zip(ids, keys, strict=True)]
        found.sort(key=lambda one: (-one[0].chunks, -one[0].units, one[1]))
        return [number for _, _, number in found[: self._most()]]

    def forget_others(self, store: Store, items: Sequence[int]) -> None:
        """Removes the elements of all other communities."""
        forget_elements(store, sorted(set(GraphRows(store).nodes_of(NodeType.COMMUNITY)[0].tolist()) - set(items)))

    def is_stale(self, store: Store, node: int) -> bool:
        """Returns False, since a community whose notes change becomes another community."""
        return False

    def request(self, store: Store, node: int) -> Request | None:
        """Returns a request with the most central notes of a community."""
        return self._asked(self._community(store, node).notes, MOST_LINES)

    def retry(self, store: Store, node: int) -> Request | None:
        """Returns a request for one element from half of the notes."""
        notes = self._community(store, node).notes
        return self._asked(notes[: -(-len(notes) // 2)], 1) if len(notes) > 1 else None

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        """Stores the lines that the notes support and removes the community's previous elements."""
        community = self._community(store, node)
        lines = [line for line in text.split("\n") if line.strip()]
        kept = usable_lines(text, [note.text for note in community.notes])
        put_elements(store, node, community.key, kept)
        return Verdict(len(kept), len(lines) - len(kept), ok=bool(kept))

    def drop(self, store: Store) -> None:
        """Removes all elements and overviews; communities stay."""
        forget_elements(store, GraphRows(store).nodes_of(NodeType.COMMUNITY)[0].tolist())

    def _asked(self, notes: Sequence[Note], lines: int) -> Request | None:
        if not notes:
            return None
        question = "Notes:\n" + "\n".join(f"- {note.text}" for note in notes) + "\nLines:"
        return Request(
            (*turns("graph.summaries", "element"), Message(Role.USER, question)),
            MOST_TOKENS,
            constraint=partial(SummaryConstraint, lines),
        )

    def _most(self) -> int:
        said = self._graph.said if self._graph else ()
        return math.ceil(PER_CHUNK * len({chunk for found in said for chunk, _ in found}))

    def _read(self, store: Store) -> Heterograph:
        self._graph = read_heterograph(store)
        sources, targets, _ = GraphRows(store).edges(EdgeType.MEMBER)
        self._members = {}
        for community, member in zip(sources.tolist(), targets.tolist(), strict=True):
            if member in self._graph.row_of:
                self._members.setdefault(community, []).append(self._graph.row_of[member])
        return self._graph

    def _community(self, store: Store, node: int) -> Community:
        graph = self._graph or self._read(store)
        return community_of(graph, np.array(sorted(self._members.get(node, ())), dtype=np.int64))


def usable_lines(text: str, notes: Sequence[str]) -> list[ElementLine]:
    """Returns the lines of a model's text that the notes support; of several lines with the same content, only the first."""
    sources = SummarySources(notes)
    seen: set[str] = set()
    kept: list[ElementLine] = []
    for line in parse(text):
        description = grounded(line.description, sources, DESCRIPTION_WORDS + 10)
        title, said = entity_key(line.title), entity_key(description)
        if not _says_something(description) or not _is_carried(line.title, sources) or seen & {title, said}:
            continue
        seen |= {title, said}
        kept.append(ElementLine(line.title, description))
    return kept[:MOST_LINES]


def _says_something(description: str) -> bool:
    """Returns whether a description has enough words other than numbers and dates."""
    return sum(not any(sign.isdigit() for sign in word) for word in keywords(description)) >= FEWEST_CONTENT_WORDS


def _is_carried(title: str, sources: SummarySources) -> bool:
    words = keywords(title)
    return bool(words) and sum(sources.knows(word) for word in words) >= TITLE_SHARE * len(words)
