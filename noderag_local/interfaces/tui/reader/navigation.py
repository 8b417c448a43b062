"""The pages that can be opened, and the history of opened pages."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source


@dataclass(frozen=True, slots=True)
class NavigationStep:
    """A page to open."""

    type: NodeType
    """DOCUMENT, ENTITY or COMMUNITY"""
    node: int
    """0 for the document of `passage`, before it is looked up."""
    name: str
    passage: Source | None = None
    """Passage at which a document is opened; None for its beginning."""
    section: str = ""
    """Heading at which a document is opened instead; "" for none."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, or a page or cell if the file has no lines."""

    path: str
    line: int
    """Number of the line; 0 if the file has no lines."""
    place: str = ""
    """Place within the file; see `Passage.place`."""


@dataclass(frozen=True, slots=True)
class LineOfNote:
    """A line of the note that is open."""

    line: int
    """0-based number."""


Target = NavigationStep | Place | Source | LineOfNote
"""A page, or a place in the notes."""


def step_to(source: Source) -> NavigationStep:
    """Returns the page of a passage's document, opened at the passage."""
    return NavigationStep(NodeType.DOCUMENT, 0, source.title or os.path.basename(source.path), source)


@dataclass(frozen=True, slots=True)
class _Page:
    step: NavigationStep
    place: int | None = None
    """Line at the cursor, or at the top of a note, when the page was left; None if it has not been left."""


class NavigationHistory:
    """The opened pages in order. It is immutable: every move returns a new history."""

    def __init__(self, *steps: NavigationStep) -> None:
        self._pages = tuple(_Page(step) for step in steps)
        self._ahead: tuple[_Page, ...] = ()
        """Pages that were left by going back, the next one first."""

    @property
    def first(self) -> NavigationStep | None:
        """First page; None for an empty history."""
        return self._pages[0].step if self._pages else None

    @property
    def last(self) -> NavigationStep | None:
        """Open page; None for an empty history."""
        return self._pages[-1].step if self._pages else None

    @property
    def place(self) -> int | None:
        """Place when the open page was left, if the user came back to it."""
        return self._pages[-1].place if self._pages else None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all pages up to the open one."""
        return tuple(page.step.name for page in self._pages)

    @property
    def has_ahead(self) -> bool:
        """Whether there is a page to go forward to."""
        return bool(self._ahead)

    def onward(self, step: NavigationStep, place: int | None) -> NavigationHistory:
        """Returns the history with another page at its end; unchanged if that page is already open.

        Args:
            step: page to open.
            place: place on the page that is left.
        """
        if step == self.last:
            return self
        left = [replace(page, place=place) for page in self._pages[-1:]]
        return self._of((*self._pages[:-1], *left, _Page(step)))

    def back(self, place: int | None = None) -> NavigationHistory | None:
        """Returns the history one page earlier; None if it has fewer than two pages.

        Args:
            place: place on the page that is left.
        """
        if len(self._pages) < 2:
            return None
        return self._of(self._pages[:-1], (replace(self._pages[-1], place=place), *self._ahead))

    def forward(self, place: int | None = None) -> NavigationHistory | None:
        """Returns the history one page later, after a way back; None if there is none. Arguments as for `back`."""
        if not self._ahead:
            return None
        left = replace(self._pages[-1], place=place)
        return self._of((*self._pages[:-1], left, self._ahead[0]), self._ahead[1:])

    def with_last(self, step: NavigationStep) -> NavigationHistory:
        """Returns the history with its last page replaced."""
        return self._of((*self._pages[:-1], replace(self._pages[-1], step=step)), self._ahead)

    @staticmethod
    def _of(pages: tuple[_Page, ...], ahead: tuple[_Page, ...] = ()) -> NavigationHistory:
        history = NavigationHistory()
        history._pages, history._ahead = pages, ahead
        return history
