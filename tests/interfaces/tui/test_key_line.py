"""The keys at the foot of every screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.note_files import written_notes
from interfaces.tui.key_navigation import NARROW, Walk, walking
from interfaces.tui.people_notes import indexed
from interfaces.tui.screen_text import lines

from noderag_local.interfaces.tui.chat.conversations_dialog import ConversationsDialog
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.reader.note_view import NoteView
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.models.llm.scripted import ScriptedEngine

AppOf = Callable[..., NoderagApp]
EVERYWHERE = "f1 Help f2 Chat f3 Library f4 Explore f5 Models f6 Settings f7 Search f8 Today"


def foot(walk: Walk) -> str:
    return lines(walk.app)[-1]


@pytest.mark.parametrize(
    ("mode", "own"),
    [
        ("chat", "⏎ Ask"),
        ("library", "⏎ Open"),
        ("explore", "⏎ Open"),
        ("models", "⏎ Use/get"),
        ("settings", "⏎ Change"),
        ("search", "⏎ Open"),
        ("today", "⏎ Open a All"),
    ],
)
def test_eighty_columns_name_the_modes_and_above_them_what_matters_here(
    app_of: AppOf, vault_folder: Path, mode: str, own: str
) -> None:
    async def steps(walk: Walk) -> None:
        await walk.app.switch_mode(mode)
        await walk.until(lambda: foot(walk) == EVERYWHERE and lines(walk.app)[-2].startswith(own))

    walking(app_of(vault_folder, ScriptedEngine()), steps, NARROW)


def test_eighty_columns_have_room_for_the_backup_in_the_library(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.app.switch_mode("library")
        await walk.until(lambda: "b Backup" in lines(walk.app)[-2])

    walking(app_of(vault_folder, ScriptedEngine()), steps, NARROW)


@pytest.mark.parametrize("size", [(140, 24), (80, 16)])
def test_a_wide_or_a_low_terminal_has_one_row_of_them(app_of: AppOf, vault_folder: Path, size: tuple[int, int]) -> None:
    async def steps(walk: Walk) -> None:
        await walk.app.switch_mode("library")
        await walk.until(lambda: foot(walk).startswith(EVERYWHERE))
        assert "⏎ Open" not in lines(walk.app)[-2]

    walking(app_of(vault_folder, ScriptedEngine()), steps, size)


@pytest.mark.parametrize(
    ("columns", "told"), [(20, "f1 Help f2 Chat"), (23, "f1 Help f2 Chat"), (26, "f1 Help f2 Chat f3 Library")]
)
def test_a_word_without_room_is_left_out_whole(app_of: AppOf, vault_folder: Path, columns: int, told: str) -> None:
    async def steps(walk: Walk) -> None:
        await walk.until(lambda: foot(walk) == told)

    walking(app_of(vault_folder), steps, (columns, 24))


def test_a_key_can_be_clicked(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.until(lambda: foot(walk).startswith(EVERYWHERE))
        await walk.pilot.click(KeyLine, offset=(EVERYWHERE.index("Models"), 1))
        await walk.until(lambda: walk.app.current_mode == "models")

    walking(app_of(vault_folder), steps)


def test_a_dialog_names_its_own_keys_in_their_order(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        walk.app.push_screen(ConversationsDialog(walk.app.session))
        await walk.until(
            lambda: any("⏎ Open ^n New ^r Name ^x Export ^d Delete esc Back" in line for line in lines(walk.app))
        )

    walking(app_of(vault_folder), steps)


def test_keys_that_do_nothing_are_not_offered(app_of: AppOf, tmp_path: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.app.switch_mode("library")
        await walk.until(lambda: foot(walk).startswith(EVERYWHERE))
        assert "Pause" not in foot(walk) and "Stop" not in foot(walk)

    walking(app_of(tmp_path / "none"), steps, (200, 24))


def test_a_note_names_the_way_back_and_the_keys_for_links_only_if_it_has_some(app_of: AppOf, tmp_path: Path) -> None:
    notes = {"oak.md": "# Oak\n\nStands beside the [[Elm]].\n", "Elm.md": "# Elm\n\nHas a swing.\n"}
    vault = indexed(written_notes(tmp_path / "notes", notes), tmp_path / "vault")

    async def steps(walk: Walk) -> None:
        await walk.press("f7", *"oak", "enter")
        await walk.until(lambda: walk.one(NoteView).has_focus and walk.one(NoteReader).note)
        await walk.until(lambda: "⌫ Back o Outline, links e Edit y Copy" in lines(walk.app)[-2])
        keys = lines(walk.app)[-2]
        assert "tab Link" in keys and "Follow" not in keys
        assert "^e Edit" not in keys and "^y Copy" not in keys, "the same words as those of the note"
        await walk.press("tab")
        await walk.until(lambda: "⏎ Follow" in lines(walk.app)[-2])
        await walk.press("enter")
        await walk.until(lambda: "tab Link" not in lines(walk.app)[-2])
        assert "⏎ Follow" not in lines(walk.app)[-2]

    walking(app_of(vault), steps, (80, 24))


def test_a_setting_that_is_edited_names_both_keys(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.press("f6")
        await walk.until(lambda: lines(walk.app)[-2].startswith("⏎ Change"))
        await walk.press("enter")
        await walk.until(lambda: lines(walk.app)[-2].startswith("⏎ Save esc Leave"))

    walking(app_of(vault_folder), steps)
