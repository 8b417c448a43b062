"""The list of choices tells its width whenever it is another, so that no row stays cut that has room."""

from __future__ import annotations

from interfaces.tui.waiting import run, until
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from noderag_local.interfaces.tui.shared.option_lists import ChoiceList


class Listed(App[None]):
    """A list beside something that a narrow terminal does without."""

    CSS = "ChoiceList, Static { width: 1fr; } .-narrow Static { display: none; }"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]

    def __init__(self) -> None:
        super().__init__()
        self.told: list[int] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield ChoiceList()
            yield Static("beside it")

    def on_choice_list_width_changed(self) -> None:
        self.told.append(self.query_one(ChoiceList).row_cells)


def test_the_last_width_that_is_told_is_the_width_that_it_has() -> None:
    async def go() -> None:
        app = Listed()
        async with app.run_test(size=(80, 24)) as pilot:
            for width in (80, 200, 60):
                await pilot.resize_terminal(width, 24)
                whole = width if width < 100 else width // 2
                await until(pilot, lambda: app.told and whole - 4 <= app.told[-1] <= whole)  # noqa: B023
                assert app.told[-1] == app.query_one(ChoiceList).row_cells

    run(go)


def test_nothing_is_told_where_only_the_height_or_the_rows_change() -> None:
    async def go() -> None:
        app = Listed()
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: app.told)
            told = list(app.told)
            app.query_one(ChoiceList).set_options(["one", "two"])
            await pilot.resize_terminal(80, 30)
            await pilot.pause()
            assert app.told == told

    run(go)
