"""The pages that can be opened, and the history of opened pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source


@dataclass(frozen=True, slots=True)
class NavigationStep:
    """A page to open."""

    type: NodeType
    """DOCUMENT, ENTITY or COMMUNITY"""
    node: int
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, or a page or cell if the file has no lines."""

    path: str
    line: int
    """Number of the line; 0 if the file has no lines."""
    place: str = ""
    """Place within the file; see `Passage.place`."""


Target = NavigationStep | Place | Source
"""A page, or a place in the notes that is shown beside it."""


@dataclass(frozen=True, slots=True)
class _Page:
    step: NavigationStep
    cursor: int | None = None
    """Cursor position when the page was left; None if it has not been left."""


class NavigationHistory:
    """The opened pages in order. It is immutable: every move returns a new history."""

    def __init__(self, *steps: NavigationStep) -> None:
        self._pages = tuple(_Page(step) for step in steps)

    @property
    def first(self) -> NavigationStep | None:
        """First page; None for an empty history."""
        return self._pages[0].step if self._pages else None

    @property
    def last(self) -> NavigationStep | None:
        """Open page; None for an empty history."""
        return self._pages[-1].step if self._pages else None

    @property
    def cursor(self) -> int | None:
        """Cursor position when the open page was left, if the user came back to it."""
        return self._pages[-1].cursor if self._pages else None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all pages."""
        return tuple(page.step.name for page in self._pages)

    def onward(self, step: NavigationStep, cursor: int | None) -> NavigationHistory:
        """Returns the history with another page at its end; unchanged if that page is already open.

        Args:
            step: page to open.
            cursor: cursor position on the page that is left.
        """
        if step == self.last:
            return self
        left = [replace(page, cursor=cursor) for page in self._pages[-1:]]
        return self._of(*self._pages[:-1], *left, _Page(step))

    def back(self) -> NavigationHistory | None:
        """Returns the history without its last page; None if it has fewer than two pages."""
        return self._of(*self._pages[:-1]) if len(self._pages) > 1 else None

    def with_last(self, step: NavigationStep) -> NavigationHistory:
        """Returns the history with its last page replaced."""
        return self._of(*self._pages[:-1], replace(self._pages[-1], step=step))

    @staticmethod
    def _of(*pages: _Page) -> NavigationHistory:
        history = NavigationHistory()
        history._pages = pages
        return history
