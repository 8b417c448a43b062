"""Earlier conversations, their names, and the part of the notes that is searched, as a person meets them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar, cast

import pytest
from helpers.conversation_turns import turn
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList

from noderag_local.config import load_settings
from noderag_local.domain.passages import EVERYTHING, Scope
from noderag_local.interfaces.tui.chat.conversations_dialog import ChosenConversation, ConversationsDialog
from noderag_local.interfaces.tui.chat.scope_dialog import ScopeDialog
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog, NamingDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.vault.vault import Vault

T = TypeVar("T")
AppOf = Callable[..., NoderagApp]
NOTHING_YET = object()
SECONDS_OF_WORK = 30.0
"""After which work ends that nobody ends."""


class Asked:
    """A dialog on its own, over the application: what it shows, and what it gave at the end."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot
        self.app = cast(NoderagApp, pilot.app)
        self.given: object = NOTHING_YET

    async def open(self, dialog: ModalScreen[T]) -> None:
        self.app.push_screen(dialog, lambda given: setattr(self, "given", given))
        await self.settle()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.settle()

    async def settle(self, *groups: str) -> None:
        """Waits for what the dialog reads on another thread, and for other groups of workers that are named."""
        waited_for = {"list", "choices", "count", "take", *groups}
        await self.pilot.pause()
        for _ in range(500):
            if not any(worker.group in waited_for and not worker.is_finished for worker in self.app.workers):
                break
            await self.pilot.pause(0.01)
        await self.pilot.pause()

    def options(self) -> list[str]:
        options = self.app.screen.query_one(OptionList)
        return [str(options.get_option_at_index(place).prompt) for place in range(options.option_count)]

    def names(self) -> list[str]:
        return [" ".join(line.replace("●", " ").split()[2:]) for line in self.options()]

    def label(self, name: str) -> str:
        return str(self.app.screen.query_one(f"#{name}", Label).content)


@pytest.fixture
def vault(vault_folder: Path) -> Iterator[Vault]:
    """The application's vault, beside it."""
    with Vault(vault_folder, load_settings()) as opened:
        yield opened


def asking(app: NoderagApp, steps: Callable[[Asked], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await steps(Asked(pilot))

    asyncio.run(run())


def test_conversations_are_found_and_opened(app_of: AppOf, vault_folder: Path, vault: Vault) -> None:
    app = app_of(vault_folder)
    talks = [vault.conversations.add(None, turn(one)) for one in ("The lease?", "The roof?", "[bold]Porto")]

    async def steps(asked: Asked) -> None:
        await asked.open(ConversationsDialog(app.session, talks[1].id))
        assert asked.names() == ["[bold]Porto", "The roof?", "The lease?"]
        assert "●" in asked.options()[1], "the one that is open has a mark, and the cursor"
        assert asked.app.screen.query_one(OptionList).highlighted == 1
        await asked.press(*"LEAS")
        assert asked.names() == ["The lease?"]
        await asked.press("x")
        assert asked.options() == []
        assert "None has these words" in asked.label("count")
        await asked.press("enter")
        assert asked.given is NOTHING_YET
        await asked.press("backspace", "enter")
        assert asked.given == ChosenConversation(talks[0].id)

    asking(app, steps)


def test_a_conversation_is_named_and_another_deleted_for_good(app_of: AppOf, vault_folder: Path, vault: Vault) -> None:
    app = app_of(vault_folder)
    kept = vault.conversations
    lease, roof = (kept.add(None, turn(one)) for one in ("The lease?", "The roof?"))

    async def steps(asked: Asked) -> None:
        await asked.open(ConversationsDialog(app.session, lease.id))
        await asked.press("up", "ctrl+r")
        assert isinstance(asked.app.screen, NamingDialog)
        await asked.press(*"Slate", "enter")
        assert asked.names() == ["Slate", "The lease?"]
        await asked.press("down", "ctrl+d")
        assert isinstance(asked.app.screen, ConfirmDialog)
        await asked.press("n")
        assert kept.get(lease.id).turns == 1
        await asked.press("ctrl+d")
        await asked.press("y")
        await asked.settle("conversations")
        assert asked.names() == ["Slate"]
        await asked.press("escape")
        assert asked.given == ChosenConversation(None), "the open one is gone, so a new one begins"

    asking(app, steps)
    assert [one.name for one in kept.all()] == ["Slate"]
    assert kept.get(roof.id).name == "Slate"


def test_the_open_conversation_is_deleted_and_left_though_the_deletion_waits(
    app_of: AppOf, vault_folder: Path, vault: Vault
) -> None:
    app = app_of(vault_folder)
    lease = vault.conversations.add(None, turn("The lease?"))

    async def steps(asked: Asked) -> None:
        await asked.open(ConversationsDialog(app.session, lease.id))
        has_ended = threading.Event()
        reading = asyncio.create_task(app.session.read(lambda _: has_ended.wait(SECONDS_OF_WORK)))
        try:
            await asked.press("ctrl+d")
            await asked.press("y")
            await asked.pilot.press("escape")
            await asked.pilot.pause()
            assert asked.given == ChosenConversation(None)
            assert vault.conversations.all()
        finally:
            has_ended.set()
        await reading
        await asked.settle("conversations")

    asking(app, steps)
    assert vault.conversations.all() == []


async def export_first(asked: Asked) -> None:
    """Exports the conversation at the top of the list."""
    await asked.open(ConversationsDialog(asked.app.session))
    await asked.press("ctrl+x")
    await asked.settle("change")


def test_export_writes_into_the_current_folder(
    app_of: AppOf, vault_folder: Path, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_of(vault_folder)
    vault.conversations.add(None, turn("The lease?"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    async def steps(asked: Asked) -> None:
        await export_first(asked)
        await asked.press("escape")
        assert asked.given is None

    asking(app, steps)
    assert "[^1-1]: `/notes/trips/porto.md`" in (tmp_path / "here" / "The lease.md").read_text(encoding="utf-8")


def test_export_tells_that_the_current_folder_was_removed(
    app_of: AppOf, vault_folder: Path, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_of(vault_folder)
    vault.conversations.add(None, turn("The lease?"))
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    async def steps(asked: Asked) -> None:
        await export_first(asked)
        assert any("current folder no longer exists" in one.message for one in app._notifications)

    asking(app, steps)


def test_a_new_conversation_and_none_at_all(app_of: AppOf, vault_folder: Path) -> None:
    app = app_of(vault_folder)

    async def steps(asked: Asked) -> None:
        await asked.open(ConversationsDialog(app.session))
        assert "There are none yet" in asked.label("count")
        await asked.press("enter", "ctrl+d", "ctrl+r", "ctrl+x", "down")
        assert asked.given is NOTHING_YET
        await asked.press("ctrl+n")
        assert asked.given == ChosenConversation(None)

    asking(app, steps)


def test_a_name_is_one_line_and_never_empty(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(asked: Asked) -> None:
        await asked.open(NamingDialog("Name of [red]it", "\x1b[31mold"))
        field = asked.app.screen.query_one(Input)
        assert field.value == "[31mold"
        assert asked.label("question") == "Name of [red]it"
        field.value = "  "
        await asked.press("enter")
        assert asked.given is NOTHING_YET
        field.value = " The  roof "
        await asked.press("enter")
        assert asked.given == "The roof"
        await asked.open(NamingDialog("Name"))
        await asked.press("escape")
        assert asked.given is None

    asking(app_of(vault_folder), steps)


def test_a_scope_says_how_many_documents_it_leaves(app_of: AppOf, vault_folder: Path, vault: Vault) -> None:
    app = app_of(vault_folder)
    work = vault.atlas.count_in(Scope("work"))
    everything = vault.atlas.scope_choices().documents

    async def steps(asked: Asked) -> None:
        await asked.open(ScopeDialog(app.session, EVERYTHING))
        assert asked.label("count") == f"{everything} of {everything} documents"
        await asked.press(*"work")
        assert asked.label("count") == f"{work} of {everything} documents"
        assert asked.options() == ["notes/work"]
        await asked.press("x", "enter")
        assert "No indexed document lies in workx" in asked.label("count")
        assert asked.given is NOTHING_YET
        await asked.press("backspace", "tab", "tab", *"2024-99", "enter")
        assert "2024-99 is no date" in asked.label("count")
        await asked.press(*["backspace"] * 7, "enter")
        assert asked.given == Scope("work")

    asking(app, steps)


def test_choices_are_taken_with_the_arrows(app_of: AppOf, vault_folder: Path, vault: Vault) -> None:
    app = app_of(vault_folder)
    tag = vault.atlas.scope_choices().tags[0]

    async def steps(asked: Asked) -> None:
        await asked.open(ScopeDialog(app.session, EVERYTHING))
        await asked.press("tab", "down", "enter")
        assert asked.app.screen.query_one("#tag", Input).value == tag
        await asked.press("enter")
        assert asked.given == Scope(tag=tag)

    asking(app, steps)


def test_letters_that_leave_one_choice_are_enough(app_of: AppOf, vault_folder: Path, vault: Vault) -> None:
    app = app_of(vault_folder)

    async def steps(asked: Asked) -> None:
        await asked.open(ScopeDialog(app.session, EVERYTHING))
        await asked.press(*"wor")
        assert len(asked.options()) == 1
        assert asked.label("count") == "Enter takes the choice."
        await asked.press("enter")
        assert isinstance(asked.given, Scope)
        assert asked.given.folder.endswith("/notes/work")
        assert vault.atlas.count_in(asked.given) == vault.atlas.count_in(Scope("work"))

    asking(app, steps)


def test_the_scope_that_is_set_is_shown_and_can_be_left_or_widened(app_of: AppOf, vault_folder: Path) -> None:
    app = app_of(vault_folder)

    async def steps(asked: Asked) -> None:
        await asked.open(ScopeDialog(app.session, Scope("work", "", None, None)))
        assert asked.app.screen.query_one("#folder", Input).value == "work"
        await asked.press("escape")
        assert asked.given is None
        await asked.open(ScopeDialog(app.session, Scope("work")))
        await asked.press("ctrl+l")
        assert asked.given == EVERYTHING

    asking(app, steps)
