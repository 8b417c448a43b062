"""Profiling: the model writes keys and a text for each relationship, and for each entity that has a relationship.

Source: Guo et al. 2024, section 3.1, P(·).

The key of an entity is its name. Those of a relationship are themes, by which the high-level keywords of a question find it.
The text sums up the statements and semantic units about it. Where the model's text says what its notes do not, the notes
themselves are the profile, so that every such entity and relationship has one. The paper also profiles entities without a
relationship.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest

import numpy as np

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.summaries.entity_notes import extract, from_name_on, notes_about
from noderag_local.graph.summaries.grounding import SummarySources, grounded
from noderag_local.graph.summaries.heterograph import Heterograph, Note, read_heterograph
from noderag_local.graph.summaries.model_stage import Verdict
from noderag_local.graph.summaries.selection import Weighed, blended
from noderag_local.graph.summaries.summary_lines import SummaryConstraint
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import prompt_version, turns
from noderag_local.models.llm.request_hash import request_hash
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.profile_rows import Profile, ProfileRows
from noderag_local.storage.graph.work_items import WorkItemRows

PROFILING = "profiles"
"""Name of the stage."""
INPUT_TOKENS = 300
"""Estimated tokens of a relationship's notes in a prompt."""
STATEMENT_SHARE = 0.5
"""Share of them for its statements; the semantic units that name both ends fill the rest."""
MOST_WORDS = 60
ENTITY_TOKENS, RELATIONSHIP_TOKENS = 80, 110
"""Maximum tokens of an answer."""
MOST_KEYS = 4
_PARSER = 1


@dataclass(frozen=True, slots=True)
class ProfileInput:
    """An entity or relationship with the notes that its profile is made from."""

    key: str
    """Identity of the profile."""
    names: tuple[str, ...]
    """The entity's names, its own first; or the names of a relationship's two ends."""
    called: str
    """The names as the prompt shows them."""
    of: tuple[int, ...]
    """The relationship, or the entity and those merged into it."""
    notes: tuple[Note, ...]
    predicates: tuple[str, ...] = ()
    """Predicates of a relationship's statements; none for an entity."""

    @property
    def is_relationship(self) -> bool:
        """Whether it is a relationship."""
        return bool(self.predicates)

    def request(self) -> Request:
        """Returns what the model is asked."""
        lines = "\n".join(f"- {note.text}" for note in self.notes)
        if self.is_relationship:
            asked = f"Names: {self.called}\nNotes:\n{lines}\nLine:"
            told = (*turns("papers.lightrag", "relationship_profile"), Message(Role.USER, asked))
            return Request(told, RELATIONSHIP_TOKENS, constraint=partial(SummaryConstraint, 1))
        asked = f"Name: {self.called}\nNotes:\n{lines}\nProfile:"
        told = (*turns("papers.lightrag", "entity_profile"), Message(Role.USER, asked))
        return Request(told, ENTITY_TOKENS, stop=("\n",))

    def read(self, text: str) -> tuple[Profile, bool]:
        """Returns the profile that the model's text gives, and whether its sentences are the model's."""
        sources = SummarySources([*self.names, *(note.text for note in self.notes)])
        if not self.is_relationship:
            said = from_name_on(grounded(text, sources, MOST_WORDS), self.names)
            return Profile((_line(self.names[0]),), said or extract(self.notes)), bool(said)
        themes, _, sentences = text.partition("|")
        said = grounded(sentences, sources, MOST_WORDS)
        return Profile(_themes(themes) or self.predicates, said or extract(self.notes)), bool(said)


class ProfileStage:
    """A `Stage` whose items are the model's entities and relationships, in turn, those with most notes first.

    A profile is stale when what the model would be asked has changed: a note came, changed or went, or names were merged.
    """

    name = PROFILING

    def __init__(self) -> None:
        versions = (prompt_version("papers.lightrag", f"{of}_profile", _PARSER) for of in ("entity", "relationship"))
        self.prompt_version = " ".join(versions)
        self._graph: Heterograph | None = None

    def items(self, store: Store) -> Sequence[int]:
        """Returns the relationships and their entities."""
        graph = self._graph = read_heterograph(store)
        return [int(graph.ids[row]) for row in profiled_rows(graph)]

    def forget_others(self, store: Store, items: Sequence[int]) -> None:
        """Removes the profiles of all other nodes."""
        graph = self._graph or read_heterograph(store)
        ProfileRows(store).keep_only({_key(graph, graph.row_of[node]) for node in items})

    def is_stale(self, store: Store, node: int) -> bool:
        """Returns whether the model would be asked something else now."""
        request = self.request(store, node)
        asked = WorkItemRows(store).input_hash(self.name, node)
        return (request_hash(request) if request else "") != asked

    def request(self, store: Store, node: int) -> Request | None:
        """Returns a request with the name and notes of an entity, or the two names and the notes of a relationship."""
        found = self._input(store, node)
        return found.request() if found else None

    def retry(self, store: Store, node: int) -> Request | None:
        """Returns None: when the model's text cannot be used, the notes themselves serve as the profile."""
        return None

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        """Stores the profile: of the text the sentences that the notes support or, without any, the best notes."""
        found = self._input(store, node)
        if found is None:
            return Verdict(0, 1)
        profile, is_of_model = found.read(text)
        ProfileRows(store).put(found.key, profile, found.of, self._sentences(store, found.notes))
        return Verdict(1, 0) if is_of_model else Verdict(0, 1)

    def drop(self, store: Store) -> None:
        """Removes all profiles."""
        ProfileRows(store).keep_only(())
        self._graph = None

    def _input(self, store: Store, node: int) -> ProfileInput | None:
        """Returns what a profile is made from; None if the node is no longer in the graph or nothing tells of it."""
        if self._graph is None:
            self._graph = read_heterograph(store)
        row = self._graph.row_of.get(node)
        found = None if row is None else profile_input(self._graph, row)
        return found if found and found.notes else None

    def _sentences(self, store: Store, notes: Sequence[Note]) -> set[int]:
        """Returns the sentences that the nodes of some notes were made from."""
        assert self._graph is not None, "the notes come from the graph"
        nodes = sorted({int(self._graph.ids[note.row]) for note in notes})
        ends = GraphRows(store).targets_of((EdgeType.PART, EdgeType.STATED), nodes)
        return {sentence for found in ends.values() for sentence in found}


def profiled_rows(graph: Heterograph) -> list[int]:
    """Returns the rows of all relationships and their ends, in turn; of either those with most notes first, ties by key."""
    relationships = graph.rows_of(NodeType.RELATIONSHIP).tolist()
    entities = {int(end) for row in relationships for end in _ends(graph, row)}
    degree = np.diff(graph.adjacency.indptr)
    first = sorted(entities, key=lambda row: (-degree[row], graph.keys[row]))

    def weight(row: int) -> tuple[int, int, str]:
        return -len(graph.said[row]), -sum(int(degree[end]) for end in _ends(graph, row)), graph.keys[row]

    pairs = zip_longest(first, sorted(relationships, key=weight))
    return [row for row in chain.from_iterable(pairs) if row is not None]


def profile_input(graph: Heterograph, row: int) -> ProfileInput:
    """Returns what the profile of an entity or relationship, given by its row, is made from."""
    if graph.types[row] is NodeType.ENTITY:
        about = notes_about(graph, row)
        of = (about.node, *(other.node for other in about.others))
        return ProfileInput(_key(graph, row), about.names, about.called, of, tuple(about.chosen()))
    ends = _ends(graph, row)
    both = set.intersection(*(_units(graph, end) for end in ends)) if ends else set[int]()
    units = [Weighed(note, 1.0) for unit in sorted(both) for note in graph.notes(unit)]
    statements = [Weighed(note, 1.0) for note in graph.notes(row)]
    notes = blended(statements, units, STATEMENT_SHARE, INPUT_TOKENS)
    predicates = tuple(dict.fromkeys(_predicate(text) for _, text in sorted(graph.said[row], key=lambda one: one[1])))
    names = tuple(graph.names[end] for end in ends)
    of = (int(graph.ids[row]),)
    return ProfileInput(_key(graph, row), names, "; ".join(names), of, tuple(notes), predicates[:MOST_KEYS])


def _key(graph: Heterograph, row: int) -> str:
    return f"{graph.types[row]} {graph.keys[row]}"


def _ends(graph: Heterograph, row: int) -> list[int]:
    """Returns the rows of the entities of a relationship: two, or one if both were merged."""
    return [int(near) for near in graph.beside(row) if graph.types[near] is NodeType.ENTITY]


def _units(graph: Heterograph, row: int) -> set[int]:
    return {int(near) for near in graph.beside(row) if graph.types[near] is NodeType.SEMANTIC_UNIT}


def _predicate(statement: str) -> str:
    return _line(statement.split("|")[1]) if statement.count("|") == 2 else _line(statement)


def _themes(text: str) -> tuple[str, ...]:
    """Returns the distinct themes of a list with commas, at most MOST_KEYS."""
    listed = (_line(part).strip(" .;:") for part in text.split(","))
    return tuple(dict.fromkeys(filter(None, listed)))[:MOST_KEYS]


def _line(text: str) -> str:
    return " ".join(text.split())
