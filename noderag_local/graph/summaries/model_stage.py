"""The protocols of a stage, which asks the language model, and of a step between stages, which does not.

A stage knows nothing of budgets, caches and engines; the runner of the pipeline knows nothing of prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from noderag_local.models.llm.engine import Request
from noderag_local.storage.database.store import Store

READING_CHUNKS = "decompose"
"""Name of the stage whose items are chunks: how far it is tells how much of a document the model has read."""


class Status(StrEnum):
    """State of a work item."""

    DONE = "done"
    FAILED = "failed"
    """The model twice gave nothing that could be used; what the rules found stays."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of reading a model's text."""

    accepted: int
    """Number of lines or statements that were accepted."""
    rejected: int
    """Number of those that were not: not in the text, malformed, or repeated."""
    ok: bool = True
    """Whether something could be used; if not, the item is tried once more by `Stage.retry`."""


class Stage(Protocol):
    """Work that asks the language model, item by item.

    What it makes depends only on texts, graph, model and prompt, never on the order of the items.
    """

    name: str
    """Name that `noderag enrich` prints and the table of work items stores."""
    prompt_version: str
    """Changes with the prompt, the constraint or the parser, and makes all items of the stage stale."""

    def items(self, store: Store) -> Sequence[int]:
        """Returns the node ids of all items, done or not, in the order to do them; ties broken by id.

        The stage drops what it made of nodes that are no longer items, such as the attribute of an entity that is no longer
        important; the caller has opened a transaction.
        """

    def is_stale(self, store: Store, node: int) -> bool:
        """Tells whether an item that was done with this model and prompt should be done again, since its input has changed."""

    def request(self, store: Store, node: int) -> Request | None:
        """Returns what to ask about an item; None: there is nothing to ask, and the item counts as done."""

    def retry(self, store: Store, node: int) -> Request | None:
        """Returns what to ask when the first answer could not be used, such as half of the input; None: it is not worth asking again."""

    def accept(self, store: Store, node: int, text: str) -> Verdict:
        """Replaces what the stage made of this item by what stands in the text; inside the runner's transaction."""

    def drop(self, store: Store) -> None:
        """Removes everything that the stage made, and nothing else; inside a transaction."""


class Step(Protocol):
    """Quick work between the stages, without a language model: communities, matching, vectors, semantic edges."""

    name: str
    """Name that `noderag enrich` prints; no stage has the same."""

    def needed(self, store: Store) -> bool:
        """Tells whether its input has changed since it was last run."""

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Brings it up to date; opens its own transactions.

        Args:
            store: the vault.
            advanced: told how much is done, and of how much.
            cancelled: asked now and then; the step then ends with the vault whole, and is still needed.
        """

    def drop(self, store: Store) -> None:
        """Removes everything that the step made, and nothing else; the step is needed afterwards."""
