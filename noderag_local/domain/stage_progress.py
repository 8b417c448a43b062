"""How far a stage of enriching has come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StageProgress:
    """Progress of one stage of enriching over all runs."""

    name: str
    done: int
    """Number of items for which the language model need not be asked again."""
    items: int
    """Number of items that are known; 0 for a stage that has never begun."""
    waits: bool
    """Whether more items may come: the stage has never begun, or something before it that makes its items has not ended."""

    @property
    def is_finished(self) -> bool:
        """Whether the stage has run to its end: all of its items are done, and no more can come."""
        return self.done == self.items and not self.waits

    @property
    def told(self) -> str:
        """The progress in words, such as "decompose 569 of 1,896" or "elements not begun"."""
        if self.waits and not self.items:
            return f"{self.name} not begun"
        so_far = " so far" if self.waits else ""
        return f"{self.name} {self.done:,} of {self.items:,}{so_far}"
