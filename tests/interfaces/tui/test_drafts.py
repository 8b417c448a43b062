"""What a person has typed and not sent is never lost, and never holds what a terminal would obey."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from interfaces.tui.screen_text import raw_controls, toasts, words
from interfaces.tui.waiting import SECONDS, run, until
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen
from noderag_local.interfaces.tui.chat.draft_keeper import KEEP_AFTER_SECONDS
from noderag_local.interfaces.tui.chat.question_box import QuestionBox
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.leaving_dialog import LeavingDialog
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.vault.vault import Vault

AppOf = Callable[..., NoderagApp]
LEASE = "Wann endet der Mietvertrag?"
POWER = "Was kostet der Strom?"
DRAFT = "And what does it cost?"


def chat_of(pilot: Pilot[None]) -> ChatScreen:
    return cast(ChatScreen, pilot.app.screen)


def box_of(pilot: Pilot[None]) -> QuestionBox:
    return chat_of(pilot).query_one(QuestionBox)


def told_of_no_inbox(pilot: Pilot[None]) -> list[str]:
    return [one.message for one in pilot.app._notifications if "There is no inbox yet" in one.message]


async def asked(pilot: Pilot[None], question: str) -> None:
    """Waits for the chat, sends a question and waits for its answer."""
    await until(pilot, lambda: isinstance(pilot.app.screen, ChatScreen) and pilot.app.screen.query(QuestionBox))
    await until(pilot, lambda: box_of(pilot).has_focus)
    box_of(pilot).put(question)
    await pilot.press("enter")
    await until(pilot, lambda: chat_of(pilot).conversation.turns)
    await until(pilot, lambda: not chat_of(pilot).is_busy)


def test_a_draft_comes_back_after_the_last_question_was_edited(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine("First.", "Second.")).run_test() as pilot:
            await asked(pilot, LEASE)
            box = box_of(pilot)
            box.put(DRAFT)
            await pilot.press("ctrl+e")
            assert (box.text, box.is_editing) == (LEASE, True)
            await pilot.press("space", "x", "ctrl+e")
            assert box.text == f"{LEASE} x", "editing goes on"
            await pilot.press("enter")
            await until(pilot, lambda: [turn.question for turn in chat_of(pilot).conversation.turns] == [f"{LEASE} x"])
            assert (box.text, box.is_editing) == (DRAFT, False)

    run(steps)


def test_a_question_sent_right_after_an_edited_one_replaces_nothing(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(
            vault_folder, ScriptedEngine("First.", "Second.", "Third.", *["yes"] * 4)
        ).run_test() as pilot:
            await asked(pilot, LEASE)
            chat, box = chat_of(pilot), box_of(pilot)
            await pilot.press("ctrl+e")
            box.action_send()
            box.put(POWER)
            box.action_send()
            await until(pilot, lambda: not box.is_editing)
            await until(pilot, lambda: not chat.is_busy)
            assert [turn.question for turn in chat.conversation.turns] == [LEASE, POWER]
            number = chat.conversation_state.number
            assert number is not None
            stored = await chat.session.read(lambda vault: vault.conversations.turns(number))
            assert [turn.question for turn in stored] == [LEASE, POWER]

    run(steps)


def test_a_draft_comes_back_when_editing_is_given_up(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine("First.")).run_test() as pilot:
            await asked(pilot, LEASE)
            box = box_of(pilot)
            box.put(DRAFT)
            await pilot.press("ctrl+e", "space", "x", "escape")
            assert (box.text, box.is_editing) == (DRAFT, False)
            await pilot.press("ctrl+u", "up")
            assert box.text == f"{LEASE} x", "the edited question is not lost either"

    run(steps)


def test_another_conversation_ends_editing(app_of: AppOf, vault_folder: Path) -> None:
    """Sending would otherwise replace the last turn of a conversation that the question never belonged to."""

    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine("First.", "Second.")).run_test() as pilot:
            await asked(pilot, LEASE)
            first = chat_of(pilot).conversation_state.number
            assert first is not None
            box = box_of(pilot)
            await pilot.press("ctrl+n")
            await until(pilot, lambda: not chat_of(pilot).conversation.blocks)
            await asked(pilot, DRAFT)
            await pilot.press("ctrl+e")
            assert box.is_editing
            chat_of(pilot).open_conversation(first)
            await until(pilot, lambda: [turn.question for turn in chat_of(pilot).conversation.turns] == [LEASE])
            await until(pilot, lambda: not box.is_editing)

    run(steps)


def test_what_was_typed_after_a_question_that_must_wait_stays_behind_it(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.screen, ChatScreen) and pilot.app.screen.query(QuestionBox))
            box = box_of(pilot)
            box.put(DRAFT)
            box.give_back(LEASE)
            assert box.text == f"{LEASE}\n{DRAFT}"

    run(steps)


@pytest.mark.parametrize("text", [DRAFT, f"{DRAFT}\nAnd since when?", "/note Call the landlord", "/note one\ntwo"])
def test_a_draft_is_kept_while_it_is_written_and_is_there_at_the_next_start(
    app_of: AppOf, vault_folder: Path, text: str
) -> None:
    async def write() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            box_of(pilot).put(text)
            # Nobody leaves: a closed terminal ends the program at once.
            await until(pilot, lambda: Conversations(vault_folder).draft() == text)

    async def read() -> None:
        app = app_of(vault_folder)
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox) and box_of(pilot).text == text)
            await pilot.press("ctrl+q")
            await until(pilot, lambda: not app.is_running)

    run(write)
    run(read)
    assert Conversations(vault_folder).draft() == text


@asynccontextmanager
async def typed_before_the_draft(app: NoderagApp) -> AsyncIterator[tuple[Pilot[None], threading.Event]]:
    """The interface in which "rent" was typed before the draft of the last time is there; it is read once the event is set."""
    Conversations(app.session.folder).keep_draft(DRAFT)
    is_due = threading.Event()
    occupied = asyncio.create_task(app.session.read(lambda _: is_due.wait(SECONDS)))
    try:
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.focused, QuestionBox))
            await pilot.press(*"rent")
            yield pilot, is_due
    finally:
        is_due.set()
        await occupied


def test_what_is_typed_before_the_draft_is_there_stands_behind_it(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with typed_before_the_draft(app_of(vault_folder)) as (pilot, is_due):
            is_due.set()
            await until(pilot, lambda: box_of(pilot).text == f"{DRAFT}\nrent")
            await pilot.press("s")
            await until(pilot, lambda: Conversations(vault_folder).draft() == f"{DRAFT}\nrents")

    run(steps)


def test_leaving_before_the_draft_is_there_keeps_it_with_what_was_typed(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        app = app_of(vault_folder)
        async with typed_before_the_draft(app) as (pilot, is_due):
            threading.Timer(KEEP_AFTER_SECONDS + 0.5, is_due.set).start()
            await pilot.press("ctrl+q")
            await until(pilot, lambda: not app.is_running)

    run(steps)
    assert Conversations(vault_folder).draft() == f"{DRAFT}\nrent"


def test_a_draft_of_somebody_elses_vault_holds_nothing_that_a_terminal_obeys(app_of: AppOf, vault_folder: Path) -> None:
    Conversations(vault_folder).keep_draft("one\x1b]0;owned\x07 \u202egnp.exe")

    async def steps() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox) and box_of(pilot).text)
            assert raw_controls(pilot.app) == set() and "\x1b" not in box_of(pilot).text

    run(steps)


def test_a_question_that_was_sent_is_no_draft_any_more(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine("First.")).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            box_of(pilot).put(LEASE)
            await until(pilot, lambda: Conversations(vault_folder).draft() == LEASE)
            await pilot.press("enter")
            await until(pilot, lambda: not Conversations(vault_folder).draft())

    run(steps)


def test_leaving_keeps_the_last_keys_too(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        app = app_of(vault_folder)
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            await pilot.press(*"rent", "f3", "ctrl+q")
            await until(pilot, lambda: not app.is_running)

    run(steps)
    assert Conversations(vault_folder).draft() == "rent"


def test_leaving_asks_once_if_an_unsent_question_cannot_be_kept(app_of: AppOf, vault_folder: Path) -> None:
    (vault_folder / "conversations.sqlite").write_bytes(b"no database" * 100)

    async def steps() -> None:
        app = app_of(vault_folder)
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            box = box_of(pilot)
            box.put(DRAFT)
            await pilot.press("f3", "ctrl+q")
            await until(pilot, lambda: isinstance(app.screen, LeavingDialog) and app.focused)
            assert "was not sent and will be lost" in words(app)
            await pilot.press("enter")  # the harmless answer has the focus
            await until(pilot, lambda: not isinstance(app.screen, LeavingDialog))
            assert app.is_running and box.text == DRAFT
            await pilot.press("ctrl+q")
            await until(pilot, lambda: isinstance(app.screen, LeavingDialog))
            await pilot.press("ctrl+q")
            await until(pilot, lambda: not app.is_running)

    run(steps)


def test_leaving_asks_once_whether_questions_without_an_answer_may_be_lost(app_of: AppOf, vault_folder: Path) -> None:
    go_on = threading.Event()

    def slowly(request: Request) -> str:
        assert go_on.wait(SECONDS)
        return "It ends in May."

    async def steps() -> None:
        app = app_of(vault_folder, ScriptedEngine(reply=slowly))
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.screen, ChatScreen) and app.screen.query(QuestionBox))
            box = box_of(pilot)
            for question in (LEASE, POWER):
                box.put(question)
                box.action_send()
            await until(pilot, lambda: chat_of(pilot).is_busy)
            await pilot.press("f3", "ctrl+q")
            await until(pilot, lambda: isinstance(app.screen, LeavingDialog) and app.focused)
            assert "will stand in the question box next time" in words(app)
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, LeavingDialog))
            assert app.is_running
            await pilot.press("ctrl+q")
            await until(pilot, lambda: isinstance(app.screen, LeavingDialog))
            await pilot.press("y")
            await until(pilot, lambda: not app.is_running)
            go_on.set()

    try:
        run(steps)
    finally:
        go_on.set()
    assert Conversations(vault_folder).draft() == f"{LEASE}\n{POWER}"


@pytest.mark.parametrize("text", ["", "  ", LEASE, "/budget 400"])
def test_leaving_asks_nothing_if_nothing_would_be_lost(app_of: AppOf, vault_folder: Path, text: str) -> None:
    async def steps() -> None:
        app = app_of(vault_folder, ScriptedEngine("First."))
        async with app.run_test() as pilot:
            await asked(pilot, LEASE)
            box_of(pilot).put(text)
            await pilot.press("ctrl+q")
            await until(pilot, lambda: not app.is_running)

    run(steps)


def test_a_draft_that_editing_set_aside_is_kept_too(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        app = app_of(vault_folder, ScriptedEngine("First."))
        async with app.run_test() as pilot:
            await asked(pilot, LEASE)
            box_of(pilot).put(DRAFT)
            await pilot.press("ctrl+e", "ctrl+q")
            await until(pilot, lambda: not app.is_running)

    run(steps)
    assert Conversations(vault_folder).draft() == DRAFT


def test_a_note_goes_to_the_inbox_and_is_found(app_of: AppOf, vault_folder: Path, tmp_path: Path) -> None:
    inbox, changes = tmp_path / "inbox.md", list[None]()

    async def steps() -> None:
        app = app_of(vault_folder, inbox_file=str(inbox))
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            app.note_changes.subscribe(app.screen, changes.append)
            box_of(pilot).put("/note buy birch plywood\nfor the shelf")
            await pilot.press("enter")
            await until(pilot, lambda: changes)

    run(steps)
    assert "buy birch plywood\n  for the shelf\n" in inbox.read_text()
    with Vault(vault_folder, load_settings(models_dir=tmp_path)) as vault:
        assert any(inbox.name in source.path for source in vault.search("birch plywood").sources)


@pytest.mark.parametrize("command", ["/note oil the floor", "/budget 400"])
def test_the_next_command_does_not_cancel_a_note_that_waits(
    app_of: AppOf, vault_folder: Path, tmp_path: Path, command: str
) -> None:
    inbox, go_on = tmp_path / "inbox.md", threading.Event()

    async def steps() -> None:
        app = app_of(vault_folder, inbox_file=str(inbox))
        async with app.run_test(notifications=True) as pilot:
            await until(pilot, lambda: isinstance(app.focused, QuestionBox))
            occupied = asyncio.create_task(app.session.read(lambda _: go_on.wait(SECONDS)))
            for text in ("/note buy birch plywood", command):
                box_of(pilot).put(text)
                await pilot.press("enter")
            go_on.set()
            assert await occupied
            await until(pilot, lambda: any("buy birch plywood" in told for told in toasts(app)))

    try:
        run(steps)
    finally:
        go_on.set()
    noted = [line.split(maxsplit=3)[-1] for line in inbox.read_text().splitlines()]
    assert noted == ["buy birch plywood", "oil the floor"][: 1 + command.startswith("/note")]


def test_leaving_waits_for_a_note_that_was_sent(app_of: AppOf, vault_folder: Path, tmp_path: Path) -> None:
    inbox, go_on = tmp_path / "inbox.md", threading.Event()

    async def steps() -> None:
        app = app_of(vault_folder, inbox_file=str(inbox))
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.focused, QuestionBox))
            occupied = asyncio.create_task(app.session.read(lambda _: go_on.wait(SECONDS)))
            box_of(pilot).put("/note buy birch plywood")
            await pilot.press("enter")
            threading.Timer(0.5, go_on.set).start()
            await pilot.press("ctrl+q")
            await until(pilot, lambda: not app.is_running)
            await occupied

    run(steps)
    assert "buy birch plywood" in inbox.read_text()


def test_the_palette_begins_a_note(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            (command,) = (one for one in chat_of(pilot).palette_commands() if "inbox" in one.text)
            command.run()
            assert box_of(pilot).text == "/note " and box_of(pilot).has_focus

    run(steps)


def test_a_note_without_an_inbox_stays_in_the_box(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            box_of(pilot).put("/note buy birch plywood")
            await pilot.press("enter")
            await until(pilot, lambda: told_of_no_inbox(pilot))
            assert box_of(pilot).text == "/note buy birch plywood"

    run(steps)


def test_a_note_that_could_not_be_added_is_there_at_the_next_start(app_of: AppOf, vault_folder: Path) -> None:
    note = "/note buy birch plywood\nfor the shelf"

    async def steps() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            box_of(pilot).put(note)
            await pilot.press("enter")
            await until(pilot, lambda: box_of(pilot).text == note and told_of_no_inbox(pilot))
            # Nobody leaves: a closed terminal ends the program at once.
            await until(pilot, lambda: Conversations(vault_folder).draft() == note)

    run(steps)


def test_a_question_that_was_given_back_is_a_draft(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await until(pilot, lambda: isinstance(pilot.app.focused, QuestionBox))
            box = box_of(pilot)
            box.remember([LEASE])
            box.give_back(LEASE)
            await until(pilot, lambda: Conversations(vault_folder).draft() == LEASE)
            await pilot.press("home", "up")
            assert box.text == LEASE, "the up key has nothing to recall"

    run(steps)


@pytest.mark.parametrize("key", ["f2", "f7"])
def test_a_pasted_text_holds_nothing_that_a_terminal_obeys(app_of: AppOf, vault_folder: Path, key: str) -> None:
    pasted = "one\x1b]0;owned\x07 \u202egnp.exe\u2069 \x9b31m\rtwo\r\nthree"

    async def steps() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.focused, (QuestionBox, Input)))
            app.post_message(events.Paste(pasted))
            await pilot.pause()
            assert raw_controls(app) == set()
            field = app.focused
            if isinstance(field, QuestionBox):
                assert field.text == "one]0;owned gnp.exe 31m\ntwo\nthree"
            else:
                assert isinstance(field, Input) and field.value == "one]0;owned gnp.exe 31m"

    run(steps)
