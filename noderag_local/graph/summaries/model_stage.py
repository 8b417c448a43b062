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
    """Where a work item stands."""

    DONE = "done"
    FAILED = "failed"
    """the model gave nothing that could be used, twice; what rules found stands"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a model's text."""

    accepted: int
    """Lines or statements that were taken over."""
    rejected: int
    """Those that were not: not in the text, malformed, said before."""
    ok: bool = True
    """False: nothing could be used, and the item is tried once more by `Stage.retry`."""


class Stage(Protocol):
    """Work that asks the language model, item by item. What it makes depends on texts, graph, model and prompt alone, never on the order of the items."""

    name: str
    """As `noderag enrich` prints it, and in the table of work items."""
    prompt_version: str
    """Changes with the prompt, the constraint or the parser, and makes all items of the stage stale."""

    def items(self, store: Store) -> Sequence[int]:
        """Returns the node ids of all items, done or not, in the order to do them; ties broken by id.

        What is no longer among them is dropped by the stage in here (an attribute of an entity that is not important
        any more), inside a transaction of the caller.
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
    """As `noderag enrich` prints it; no stage has the same."""

    def needed(self, store: Store) -> bool:
        """Tells whether its input has changed since it was last run."""

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Brings it up to date; opens its own transactions.

        Args:
            advanced: told how much is done, and of how much.
            cancelled: asked now and then; the step then ends with the vault whole, and is still needed.
        """

    def drop(self, store: Store) -> None:
        """Removes everything that the step made, and nothing else; the step is needed afterwards."""
