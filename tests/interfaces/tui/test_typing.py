"""Keys that arrive in one burst act in the order in which they were typed, as when the machine was busy for a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from interfaces.tui.waiting import run, until
from textual.events import Key
from textual.pilot import Pilot

from noderag_local.interfaces.tui.chat.ask_line import AskLine
from noderag_local.interfaces.tui.chat.question_box import QuestionBox
from noderag_local.interfaces.tui.search.search_line_input import SearchLineInput
from noderag_local.interfaces.tui.shell.application import NoderagApp


async def type_at_once(pilot: Pilot[None], keys: Iterable[str]) -> None:
    """Sends keys without waiting between them."""
    for key in keys:
        pilot.app.post_message(Key(key, key if len(key) == 1 else None))
    await pilot.pause(0.2)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ([*"old", "ctrl+u", *"new"], "new"),
        ([*"teh", "backspace", "backspace", *"he"], "the"),
        ([*"ouch", "home", *"c"], "couch"),
        ([*"two words", "ctrl+w", *"notes"], "two notes"),
    ],
)
def test_editing_keys_act_between_the_letters_around_them(
    app_of: Callable[..., NoderagApp], vault_folder: Path, keys: list[str], text: str
) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            await type_at_once(pilot, keys)
            assert pilot.app.screen.query_one(QuestionBox).text == text

            await pilot.press("f7")
            await until(pilot, lambda: isinstance(pilot.app.focused, SearchLineInput))
            await type_at_once(pilot, keys)
            assert pilot.app.screen.query_one(SearchLineInput).value == text

    run(steps)


def test_enter_sends_what_was_typed_before_it_and_nothing_after_it(
    app_of: Callable[..., NoderagApp], vault_folder: Path
) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            await type_at_once(pilot, [*"/budget 300", "enter", *"next"])
            assert pilot.app.screen.query_one(QuestionBox).text == "next"
            assert pilot.app.screen.query_one(AskLine).choices.budget_tokens == 300

    run(steps)


def test_a_screens_own_key_still_comes_before_the_fields(app_of: Callable[..., NoderagApp], vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            await pilot.press("f7")
            await until(pilot, lambda: isinstance(pilot.app.focused, SearchLineInput))
            await pilot.press(*"rent", "ctrl+a")
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))

    run(steps)
