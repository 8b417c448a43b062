"""Lets the language model write a title and a text for each attributed community (ArchRAG, 3.1.2).

Each level is a stage of its own, since it reads the summaries of the level below. Questions can be answered without these
stages; each finished stage adds summaries to the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from noderag_local.domain.graph import EdgeType
from noderag_local.graph.summaries.elements import usable_lines
from noderag_local.graph.summaries.model_stage import Verdict
from noderag_local.graph.summaries.selection import estimated_tokens
from noderag_local.graph.summaries.summary_lines import SummaryConstraint
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import prompt_version, turns
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.attributed_rows import AttributedRows, StoredLevel, leading_entities
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames

INPUT_TOKENS = 450
"""Estimated tokens of the notes in a prompt."""
MOST_NAMES = 8
MOST_TOKENS = 130

_PARSER = 1


def summaries_of(level: int) -> str:
    """Returns the name of the stage that summarises the communities of a level, from 1."""
    return f"arch-level-{level}"


class CommunitySummaryStage:
    """A `Stage` that summarises the communities of one level.

    No item becomes stale: a community whose members or sentences change loses its item, and a new summary resets the items of
    all communities above it.
    """

    def __init__(self, level: int) -> None:
        """Keeps the level, from 1."""
        self.name = summaries_of(level)
        self.prompt_version = prompt_version("papers.archrag", "attributed", _PARSER)
        self._place = level - 1
        self._levels: tuple[StoredLevel, ...] = ()
        self._row_of: dict[int, int] = {}

    def items(self, store: Store) -> Sequence[int]:
        """Returns the communities of the level, those whose entities are named most often first; ties by key."""
        self._read(store)
        keys = AttributedRows(store).keys(self._row_of)
        named = _named(store, self._levels[: self._place + 1]) if self._row_of else {}
        return sorted(self._row_of, key=lambda node: (-named[node], keys[node]))

    def forget_others(self, store: Store, items: Sequence[int]) -> None:
        """Does nothing: the summary of a community goes with it."""

    def is_stale(self, store: Store, node: int) -> bool:
        """Returns False; the docstring of the class says why."""
        return False

    def request(self, store: Store, node: int) -> Request | None:
        """Returns a request with the names of central entities and the best sentences or, above the first level, summaries."""
        return self._asked(store, node, self._notes(store, node))

    def retry(self, store: Store, node: int) -> Request | None:
        """Returns the same request with half of the notes."""
        notes = self._notes(store, node)
        return self._asked(store, node, notes[: -(-len(notes) // 2)]) if len(notes) > 1 else None

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        """Stores the title and text if the notes support them; otherwise the outline of names and sentences stays in use."""
        rows = AttributedRows(store)
        kept = usable_lines(text, [*self._names(store, node), *self._notes(store, node)])[:1]
        for line in kept:
            rows.write(node, line.title, line.description)
        if not kept:
            rows.unwrite([node])
        return Verdict(len(kept), 1 - len(kept), ok=bool(kept))

    def drop(self, store: Store) -> None:
        """Removes the model's summaries of this level; the outlines of names and sentences are used again."""
        rows = AttributedRows(store)
        rows.unwrite(rows.of_level(self._place + 1))

    def _asked(self, store: Store, node: int, notes: Sequence[str]) -> Request | None:
        if not notes:
            return None
        names = ", ".join(self._names(store, node))
        question = f"Names: {names}\nNotes:\n" + "\n".join(f"- {note}" for note in notes) + "\nLine:"
        return Request(
            (*turns("papers.archrag", "attributed"), Message(Role.USER, question)),
            MOST_TOKENS,
            constraint=partial(SummaryConstraint, 1),
        )

    def _names(self, store: Store, node: int) -> list[str]:
        self._level_of(store, node)
        level, row = self._levels[self._place], self._row_of[node]
        central = self._leading[self._place][row] if self._place else level.members[row][:MOST_NAMES]
        return GraphRows(store).names(central.tolist())

    def _notes(self, store: Store, node: int) -> list[str]:
        """Returns the sentences, or the summaries of the communities below, as many as fit, most central first."""
        self._level_of(store, node)
        level, row = self._levels[self._place], self._row_of[node]
        if not self._place:
            return _fitting(TextRows(store).sentence_texts(level.key_sentences[row].tolist()))
        below = self._levels[self._place - 1]
        place_of = {int(number): place for place, number in enumerate(below.ids)}
        places = [place_of[int(number)] for number in level.members[row]]
        columns = (self._leading[self._place - 1], below.key_sentences)
        leading, key_sentences = ([column[place] for place in places] for column in columns)
        texts = AttributedRows(store).texts(below.ids[places].tolist(), leading, key_sentences)
        return _fitting([f"{title}: {text}" for title, text in texts])

    def _level_of(self, store: Store, node: int) -> None:
        if node not in self._row_of:
            self._read(store)

    def _read(self, store: Store) -> None:
        self._levels = AttributedRows(store).levels()
        self._leading = leading_entities(self._levels)
        own = self._levels[self._place].ids.tolist() if len(self._levels) > self._place else []
        self._row_of = {node: row for row, node in enumerate(own)}


def _named(store: Store, levels: Sequence[StoredLevel]) -> dict[int, int]:
    """Returns how often the entities of each community of the last level are named."""
    sums: dict[int, int] = {}
    kind = EdgeType.MENTION
    for entity in MergedNames(store).edges({kind: GraphRows(store).edges(kind)})[kind][1].tolist():
        sums[entity] = sums.get(entity, 0) + 1
    for level in levels:
        sums = {
            int(community): sum(sums.get(int(one), 0) for one in members)
            for community, members in zip(level.ids, level.members, strict=True)
        }
    return sums


def _fitting(notes: Sequence[str]) -> list[str]:
    """Returns the first notes that fit into a prompt; at least one."""
    taken: list[str] = []
    left = INPUT_TOKENS
    for note in notes:
        left -= estimated_tokens(note) + 2
        if taken and left < 0:
            break
        taken.append(" ".join(note.split()))
    return taken
