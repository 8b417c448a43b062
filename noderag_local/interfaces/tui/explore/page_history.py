"""The way from page to page, for going back along it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from noderag_local.interfaces.tui.explore.page_steps import NavigationStep


@dataclass(frozen=True, slots=True)
class _Page:
    step: NavigationStep
    cursor: int | None = None
    """Where the page was left; None for one that was not left yet."""


class Trail:
    """Pages in the order in which they were walked to. Never changes: each move gives another one."""

    def __init__(self, *steps: NavigationStep) -> None:
        self._pages = tuple(_Page(step) for step in steps)

    @property
    def first(self) -> NavigationStep | None:
        """Where it began; None for an empty trail."""
        return self._pages[0].step if self._pages else None

    @property
    def last(self) -> NavigationStep | None:
        """Where it has come to."""
        return self._pages[-1].step if self._pages else None

    @property
    def cursor(self) -> int | None:
        """Where the last page was left, when one has come back to it."""
        return self._pages[-1].cursor if self._pages else None

    @property
    def names(self) -> tuple[str, ...]:
        """Of all pages."""
        return tuple(page.step.name for page in self._pages)

    def onward(self, step: NavigationStep, cursor: int | None) -> Trail:
        """On to another page; the same where one is there already.

        Args:
            cursor: the place on the page that is left.
        """
        if step == self.last:
            return self
        left = [replace(page, cursor=cursor) for page in self._pages[-1:]]
        return self._of(*self._pages[:-1], *left, _Page(step))

    def back(self) -> Trail | None:
        """The trail without its last page; None where there is none before it."""
        return self._of(*self._pages[:-1]) if len(self._pages) > 1 else None

    def with_last(self, step: NavigationStep) -> Trail:
        """The same way to another page in the place of the last one."""
        return self._of(*self._pages[:-1], replace(self._pages[-1], step=step))

    @staticmethod
    def _of(*pages: _Page) -> Trail:
        trail = Trail()
        trail._pages = pages
        return trail
