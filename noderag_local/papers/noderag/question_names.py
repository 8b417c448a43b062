"""Finds the entities of a question, which dual search matches with names (NodeRAG, section 2.5): by a rule or by the model."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.model_use import NOTHING_ASKED, ModelUse
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import turns
from noderag_local.retrieval.default.question_words import possible_names
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.written_by_model import written
from noderag_local.text.capitals import capitalised_runs, stop_words_of
from noderag_local.text.identity import entity_key

ENTITY_TOKENS = 64
MOST_ENTITIES = 16
"""Maximum entities that the model lists; a small model that writes more has begun to repeat itself."""


@dataclass(frozen=True, slots=True)
class QuestionNames:
    """The entities of a question."""

    names: tuple[str, ...]
    """Names of nodes to look up as a whole."""
    within: tuple[str, ...]
    """Names to look up as a part of longer names, too."""
    llm_use: ModelUse = NOTHING_ASKED
    """Use of the language model to find them."""
    seconds: float = 0.0
    """Seconds that the language model took."""


def names_by_rule(question: str, search_context: SearchContext) -> QuestionNames:
    """Returns every run of words in the question that may be a name; only those that the notes know lead anywhere.

    A run of small letters alone is left out where the question has names with a capital one: a model that reads notes calls a
    "river" and a "country" entities, too, and half of all notes would be entered by them.
    """
    stopped = stop_words_of(question)
    names = [name for name in possible_names(question) if entity_key(name) not in stopped]
    # The first word of a sentence has a capital letter, too: "When" is no name.
    whole = tuple(" ".join(run).rstrip(".") for run in capitalised_runs(question))
    # Parts of a name, and words that are no name, would stand in too many others.
    return QuestionNames(tuple(name for name in names if not (whole and _in_small_letters(name))), whole)


def _in_small_letters(name: str) -> bool:
    """Returns whether a run has no capital letter, no digit, and no letter of a script without case."""
    return all(map(str.islower, filter(str.isalnum, name)))


def names_by_model(question: str, search_context: SearchContext) -> QuestionNames:
    """Returns the entities that the language model lists in one call.

    Raises:
        ModelError: there is no language model, or it failed.
    """
    asked = Message(Role.USER, f"Question: {' '.join(question.split())}")
    answer = written(search_context, Request((*turns("papers.noderag", "question_entities"), asked), ENTITY_TOKENS))
    names = listed(answer.text)
    return QuestionNames(names, names, answer.use, answer.seconds)


def listed(text: str) -> tuple[str, ...]:
    """Returns the distinct entities in the model's list, in its order."""
    parts = (part.strip(" .;*-\"'") for line in text.splitlines() for part in line.split(","))
    return tuple(dict.fromkeys(filter(None, parts)))[:MOST_ENTITIES]
