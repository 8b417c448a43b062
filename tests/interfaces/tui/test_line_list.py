"""A list of lines that has none says so, in as many lines as that takes."""

from __future__ import annotations

from interfaces.tui.screen_text import lines, words
from interfaces.tui.waiting import run
from textual.app import App, ComposeResult

from noderag_local.interfaces.tui.explore.theme_list import EMPTY, ThemeList


class Listed(App[None]):
    """A list of themes and nothing else."""

    def compose(self) -> ComposeResult:
        yield ThemeList()


def test_what_stands_in_place_of_rows_is_wrapped() -> None:
    async def go() -> None:
        app = Listed()
        async with app.run_test(size=(30, 10)) as pilot:
            await pilot.pause()
            assert words(app) == EMPTY
            assert all(line.startswith(" ") and len(line) < 30 for line in lines(app) if line)
            await pilot.resize_terminal(100, 10)
            await pilot.pause()
            assert lines(app)[0] == f" {EMPTY}" and not any(lines(app)[1:])

    run(go)
