"""Walking through an open application by its keys: what the tests of Explore and of Why do alike."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from interfaces.tui.waiting import run, until
from textual.pilot import Pilot
from textual.widget import Widget

from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.explore.entity_list import EntityList
from noderag_local.interfaces.tui.explore.explore_screen import ExploreScreen
from noderag_local.interfaces.tui.reader.node_page import NodePage
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shell.application import NoderagApp

WIDE, NARROW = (120, 36), (80, 24)
W = TypeVar("W", bound=Widget)


class Walk:
    """A person at the keys."""

    def __init__(self, app: NoderagApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def press(self, *keys: str) -> None:
        """One key after the other."""
        await self.pilot.press(*keys)

    async def until(self, is_so: Callable[[], object]) -> None:
        """As `waiting.until`."""
        await until(self.pilot, is_so)

    def one(self, kind: type[W]) -> W:
        """The only widget of its kind on the screen."""
        return self.app.screen.query_one(kind)

    @property
    def page(self) -> str:
        """The texts of the page or note that is open."""
        if (note := self.one(NoteReader).note) is not None:
            return "\n".join(note.text.lines)
        return "\n".join(str(option.prompt) for option in self.one(NodePage).options)

    async def explore(self) -> EntityList:
        """Opens the screen and waits for its entities."""
        await self.press("f4")
        await self.until(lambda: isinstance(self.app.screen, ExploreScreen))
        entities = self.one(EntityList)
        await self.until(lambda: entities.count)
        return entities

    async def source(self) -> Source:
        """The source that is being opened."""
        reader = self.one(NoteReader)
        await self.until(lambda: reader.note is not None and reader.passage is not None)
        found = reader.passage
        assert found is not None
        return found


def walking(app: NoderagApp, steps: Callable[[Walk], Awaitable[None]], size: tuple[int, int] = NARROW) -> None:
    """Opens the application, takes the steps, and closes it."""

    async def go() -> None:
        async with app.run_test(size=size) as pilot:
            await steps(Walk(app, pilot))

    run(go)
