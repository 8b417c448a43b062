"""Collects the notes about an entity, from which the language model describes it, and chooses those that fit a prompt."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from noderag_local.domain.graph import NodeType
from noderag_local.graph.summaries.grounding import whole_sentences
from noderag_local.graph.summaries.heterograph import EntityAlias, Heterograph, Note
from noderag_local.graph.summaries.important import opens_with
from noderag_local.graph.summaries.selection import Weighed, blended, is_dated
from noderag_local.text.keywords import keywords

INPUT_TOKENS = 400
"""Estimated tokens of the notes in a prompt. The paper gives the model all notes; here every hundred tokens cost a second."""
UNIT_SHARE = 0.6
"""Share of the notes' tokens for semantic units; the heaviest of all other notes fill the rest."""
LEANING = 0.4
"""Factor for the weight of a note that begins with a pronoun, since alone it does not say whom it is about."""
EXTRACT_WORDS = 45
MOST_OTHER_NAMES = 3
"""Maximum number of an entity's other names in the prompt."""

_LEANS = re.compile(r"(?:this|that|these|those|it|its|he|she|they|his|her|their|however|also|then)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EntityNotes:
    """An entity and the notes about it."""

    node: int
    key: str
    names: tuple[str, ...]
    """The entity's own name first, then those of `others`."""
    others: tuple[EntityAlias, ...]
    notes: tuple[Weighed, ...]

    @property
    def called(self) -> str:
        """The names as the prompt shows them; without the note on other names, a small model mistakes "WHO" for someone else."""
        name, *others = self.names
        return f"{name} (also {', '.join(others[:MOST_OTHER_NAMES])})" if others else name

    def chosen(self) -> list[Note]:
        """Chooses the notes for the prompt; units come first, since they say more than the short but numerous statements."""
        statements = [one for one in self.notes if one.note.is_statement]
        units = [one for one in self.notes if not one.note.is_statement]
        return blended(units, statements, UNIT_SHARE, INPUT_TOKENS)


def notes_about(graph: Heterograph, row: int) -> EntityNotes:
    """Returns the notes about an entity, given by its row, with the weight of each."""
    names = graph.all_names(row)
    notes = [
        Weighed(note, _closeness(graph, note, names))
        for near in graph.beside(row)
        if graph.types[near] in (NodeType.SEMANTIC_UNIT, NodeType.RELATIONSHIP)
        for note in graph.notes(int(near))
    ]
    return EntityNotes(int(graph.ids[row]), graph.keys[row], names, graph.others.get(row, ()), tuple(notes))


def _closeness(graph: Heterograph, note: Note, names: Collection[str]) -> float:
    """Scores how much a note is about an entity: higher if it begins with its name, names few others or has a date."""
    opens = any(opens_with(note.text, name) for name in names)
    named = any(name.casefold() in note.text.casefold() for name in names)
    others = max(len(graph.beside(note.row)), 1)
    close = opens + 0.5 * named + 1 / others + 0.25 * is_dated(note.text)
    return close * (LEANING if _LEANS.match(note.text) else 1.0)


def extract(notes: Sequence[Note]) -> str:
    """Joins the best notes, as many as fit but at least one."""
    taken: list[str] = []
    for note in notes:
        if taken and sum(len(text.split()) for text in (*taken, note.text)) > EXTRACT_WORDS:
            break
        taken.append(note.text)
    return " ".join(text if text.endswith((".", "!", "?", "。")) else f"{text}." for text in taken)


def from_name_on(text: str, names: Sequence[str]) -> str:
    """Drops the sentences before the first one that names the entity, since an "it" in them would refer to nothing."""
    wanted = {word for name in names for word in keywords(name) or [name.casefold()]}
    sentences = whole_sentences(text)
    naming = [place for place, sentence in enumerate(sentences) if wanted & set(keywords(sentence))]
    return " ".join(sentences[naming[0] :]) if naming else ""
