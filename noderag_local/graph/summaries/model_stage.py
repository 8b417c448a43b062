"""Protocols of the work that builds the graph: a stage asks the language model, a step does not.

A stage does not know about budgets, caches and engines; the runner of the pipeline does not know about prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeGuard

from noderag_local.models.llm.engine import Request
from noderag_local.storage.database.store import Store

READING_CHUNKS = "decompose"
"""Name of the stage whose items are chunks; its progress says how much of a document the model has read."""


class Status(StrEnum):
    """State of a work item."""

    DONE = "done"
    FAILED = "failed"
    """The model gave nothing usable twice; what the rules extracted is kept."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of parsing a model's text."""

    accepted: int
    """Number of lines or statements that were accepted."""
    rejected: int
    """Number of lines or statements that were refused: not supported by the text, malformed or repeated."""
    ok: bool = True
    """Whether anything could be used; if not, the item is tried once more with `Stage.retry`."""


class Stage(Protocol):
    """Work that asks the language model about one item at a time.

    Its results depend only on texts, graph, model and prompt, never on the order of the items.
    """

    name: str
    """Name that `noderag enrich` prints and that work items are stored under."""
    prompt_version: str
    """Version of prompt, constraint and parser, followed by SETTINGS_AFTER and the settings that decide what else is asked,
    if any; when it changes, all items of the stage become stale."""

    def items(self, store: Store) -> Sequence[int]:
        """Returns the node ids of all items, done or not, in the order in which to do them; ties are broken by id."""

    def forget_others(self, store: Store, items: Sequence[int]) -> None:
        """Removes the stage's results for nodes that are no longer items; runs inside the caller's transaction.

        An entity that is no longer important loses its attribute, for example.

        Args:
            store: the vault.
            items: what `items` has just returned.
        """

    def is_stale(self, store: Store, node: int) -> bool:
        """Returns whether a finished item must be done again because its input has changed."""

    def request(self, store: Store, node: int) -> Request | None:
        """Returns what to ask about an item; None if there is nothing to ask, and the item then counts as done."""

    def retry(self, store: Store, node: int) -> Request | None:
        """Returns what to ask after an unusable answer, for example about half of the input; None to give up."""

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        """Replaces the stage's results for this item by those of the text; runs inside the runner's transaction."""

    def drop(self, store: Store) -> None:
        """Removes all results of the stage and nothing else; call it inside a transaction."""


class RepeatingStage(Stage, Protocol):
    """A stage that may ask about an item again, after a usable answer, for what the answers so far have missed.

    `accept` gets all answers, in order, with a line break between two of them.
    """

    most_requests: int
    """Maximum number of requests for an item, without `retry`."""

    def further(self, store: Store, node: int, texts: Sequence[str]) -> Request | None:
        """Returns what to ask after the answers so far; None if nothing. Depends on nothing but the item and the answers."""


def is_repeating(stage: Stage) -> TypeGuard[RepeatingStage]:
    """Returns whether a stage may ask about an item more than once."""
    return hasattr(stage, "further")


def further_request(stage: Stage, store: Store, node: int, texts: Sequence[str]) -> Request | None:
    """Returns what a stage asks after the answers to an item so far; None if nothing."""
    return stage.further(store, node, texts) if is_repeating(stage) else None


SETTINGS_AFTER = "; "
"""Stands between the version of a stage's prompt and its settings. Answers are cached without the settings: with other ones,
the same request has the same answer."""


def cached_prompt(stage: Stage) -> str:
    """Returns the key of a stage's prompt, constraint and parser in the cache of the model's answers."""
    return f"{stage.name} {stage.prompt_version.partition(SETTINGS_AFTER)[0]}"


class Step(Protocol):
    """Quick work between the stages that needs no language model: communities, matching, vectors, similar edges."""

    name: str
    """Name that `noderag enrich` prints; no stage may have the same."""

    def needed(self, store: Store) -> bool:
        """Returns whether the input of the step has changed since its last run."""

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Updates the results of the step; opens its own transactions.

        Args:
            store: the vault.
            advanced: called with the amount done and the total.
            cancelled: called now and then; when it returns True, the step ends, leaves the vault consistent and remains needed.
        """

    def drop(self, store: Store) -> None:
        """Removes all results of the step and nothing else; afterwards the step is needed again."""
