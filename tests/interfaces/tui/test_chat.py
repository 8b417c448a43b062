"""The chat as a person uses it: the real application, a real vault of the sample notes, a model that says what it is told."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from helpers.conversation_turns import TURN
from interfaces.tui.screen_text import toasts, words
from interfaces.tui.waiting import SECONDS, run, until
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelError
from noderag_local.domain.passages import Scope
from noderag_local.domain.stream import Stream
from noderag_local.interfaces.tui.chat.answers.answer_block import AnswerBlock, TurnCost
from noderag_local.interfaces.tui.chat.answers.answer_text import AnswerText
from noderag_local.interfaces.tui.chat.answers.computed_dialog import ComputedDialog
from noderag_local.interfaces.tui.chat.answers.passage_lines import PassageLine
from noderag_local.interfaces.tui.chat.answers.source_lines import SourceLine
from noderag_local.interfaces.tui.chat.answers.why_dialog import WhyDialog
from noderag_local.interfaces.tui.chat.ask_line import AskChoices, AskLine
from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen
from noderag_local.interfaces.tui.chat.conversation_view import Suggestion
from noderag_local.interfaces.tui.chat.conversations_dialog import ConversationsDialog
from noderag_local.interfaces.tui.chat.passages_ahead import PAUSE_SECONDS, READING_PAUSE_SECONDS, PassagesAhead
from noderag_local.interfaces.tui.chat.question_box import CommandHints, QuestionBox
from noderag_local.interfaces.tui.chat.scope_dialog import ScopeDialog
from noderag_local.interfaces.tui.chat.slash_commands import COMMANDS
from noderag_local.interfaces.tui.explore.explore_screen import ExploreScreen
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shared.dialogs import NamingDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.status_line import StatusLine
from noderag_local.models.llm.engine import Completion, Request, never
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.storage.conversations.conversations import FILE_NAME, Cost, Turn
from noderag_local.storage.database.store import Store
from noderag_local.storage.forgetting.traces import Forgetting, drop_forgetting, note_forgetting
from noderag_local.vault.vault import Vault

AppOf = Callable[..., NoderagApp]
QUESTION = "When does the lease of the flat end?"
ANSWER = "Der Vertrag ist bis zum 30. September 2026 befristet [1]. Der Mond besteht aus grünem Käse."
LEASE = "Wann endet der Mietvertrag?"


def chat_of(pilot: Pilot[Any]) -> ChatScreen:
    return cast(ChatScreen, pilot.app.screen)


def box_of(pilot: Pilot[Any]) -> QuestionBox:
    return chat_of(pilot).query_one(QuestionBox)


def last(pilot: Pilot[Any]) -> AnswerBlock:
    return chat_of(pilot).conversation.blocks[-1]


def text_of(widget: Any) -> str:
    """Everything that a widget and those in it show."""
    return "\n".join(str(part.render()) for part in widget.query(Static))


async def opened(pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, ChatScreen) and chat_of(pilot).query(QuestionBox))
    await until(pilot, lambda: box_of(pilot).has_focus)


async def ask(pilot: Pilot[Any], question: str) -> AnswerBlock:
    """Writes a question, sends it and waits for the end of its answer."""
    before = len(chat_of(pilot).conversation.blocks)
    box_of(pilot).put(question)
    await pilot.press("enter")
    await until(pilot, lambda: len(chat_of(pilot).conversation.blocks) > before)
    await until(pilot, lambda: not chat_of(pilot).is_busy)
    await pilot.pause()
    return last(pilot)


def test_an_answer_is_shown_with_its_marks_and_its_sources(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            block = await ask(pilot, LEASE)
            shown = text_of(block)
            assert LEASE in shown
            assert "befristet. [1] Der Mond besteht aus grünem Käse. (no source supports this)" in shown
            assert "[1] mietvertrag.md" in shown
            assert "tokens read" in shown
            assert box_of(pilot).text == "" and box_of(pilot).has_focus

    run(steps)


def test_an_answer_appears_while_it_is_written_and_escape_stops_it(app_of: AppOf, vault_folder: Path) -> None:
    class Slow(ScriptedEngine):
        """Waits for the test after its first words."""

        go_on = threading.Event()

        def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
            inner = super().stream(request, cancelled)

            def slowly() -> Generator[str, None, Completion]:
                for number, piece in enumerate(inner):
                    if number == 6:
                        self.go_on.wait(SECONDS)
                    yield piece
                return inner.result

            return Stream(slowly())

    async def steps() -> None:
        engine = Slow("First words. " + "and more " * 50, "Second words [1].")
        async with app_of(vault_folder, engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            box_of(pilot).put(LEASE)
            await pilot.press("enter")
            await until(pilot, lambda: chat_of(pilot).conversation.blocks)
            await until(pilot, lambda: "First words" in last(pilot).query_one(AnswerText).source)
            await pilot.press(*LEASE.replace("Mietvertrag", "Vertrag"), "enter", "ctrl+n", *"A draft")
            await until(pilot, lambda: len(chat_of(pilot).conversation.blocks) == 2)
            first, second = chat_of(pilot).conversation.blocks
            assert "Waits for the answer above" in text_of(second)
            await pilot.press("escape")
            engine.go_on.set()
            await until(pilot, lambda: not chat_of(pilot).is_busy)
            assert "First words." in text_of(first)
            assert "The answer was stopped." in text_of(first)
            assert second.answered is not None, "it was answered in its turn"
            assert [turn.question for turn in chat_of(pilot).conversation.turns] == [LEASE, second.question]
            assert box_of(pilot).text == "A draft"

    run(steps)


def test_the_passages_are_there_while_the_question_is_typed(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            ahead = chat_of(pilot).query_one(PassagesAhead)
            await pilot.press(*"Miet")
            await until(pilot, lambda: ahead.lines)
            await pilot.press(*"vertrag")
            await until(pilot, lambda: "mietvertrag.md" in text_of(ahead))
            await pilot.press("tab")
            assert chat_of(pilot).focused is ahead.lines[0]
            await pilot.press("enter")
            panel = chat_of(pilot).query_one(NoteReader)
            await until(pilot, lambda: panel.note is not None and panel.note.path.endswith("mietvertrag.md"))
            await pilot.press("escape")
            assert box_of(pilot).has_focus and box_of(pilot).text == "Mietvertrag"
            await pilot.press("enter")
            await until(pilot, lambda: not ahead.lines)
            await until(pilot, lambda: not chat_of(pilot).is_busy)
            await pilot.press(*"Mi")
            await pilot.pause(2 * PAUSE_SECONDS)
            assert not ahead.lines, "too few letters to search for"

    run(steps)


INSTRUCTIONS = 2
"""Instructions that the model reads before the first question: those for answers, and those for plain words."""


class Keeping(ScriptedEngine):
    """Says that it keeps what it read."""

    @property
    def keeps_what_it_read(self) -> bool:
        return True


def test_the_model_reads_while_one_pauses_and_stops_at_the_next_key(app_of: AppOf, vault_folder: Path) -> None:
    class Patient(Keeping):
        """Reads a question that is not finished until it is told to stop."""

        stopped = threading.Event()

        def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
            inner = super().stream(request, cancelled)

            def reading() -> Generator[str, None, Completion]:
                while "flatter" not in request.messages[-1].content and "Sources:\n[" in request.messages[-1].content:
                    if cancelled():
                        self.stopped.set()
                        break
                yield from inner
                return inner.result

            return Stream(reading())

    async def steps() -> None:
        engine = Patient(reply=lambda _: ANSWER)

        def read() -> list[Request]:
            """Returns what was read of passages; the instructions are read before."""
            return [one for one in engine.history if "Sources:\n[" in one.messages[-1].content]

        async with app_of(vault_folder, engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await until(pilot, lambda: len(engine.history) == INSTRUCTIONS)
            await pilot.press(*"Is the flat")
            await until(pilot, lambda: len(read()) == 1)
            assert "Question: Is the flat\n" in read()[0].messages[-1].content
            await pilot.press(*"ter")
            await until(pilot, engine.stopped.is_set)
            await until(pilot, lambda: len(read()) == 2)
            await pilot.press("enter")
            await until(pilot, lambda: len(read()) == 3)
            assert read()[1] == read()[2]
            await until(pilot, lambda: not chat_of(pilot).is_busy)

    run(steps)


def test_whoever_turns_it_off_has_nothing_read_ahead(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        engine = Keeping(reply=lambda _: ANSWER)
        async with app_of(vault_folder, engine, read_ahead=False).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await until(pilot, lambda: len(engine.history) == INSTRUCTIONS)
            await pilot.press(*"Is the flat")
            await until(pilot, lambda: chat_of(pilot).query_one(PassagesAhead).lines)
            await pilot.pause(2 * READING_PAUSE_SECONDS)
            assert len(engine.history) == INSTRUCTIONS

    run(steps)


def test_a_search_that_fails_while_typing_waits_for_the_question(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            chat_of(pilot).choose(AskChoices(scope=Scope(folder="no such folder")))
            await pilot.press(*"Mietvertrag")
            await pilot.pause(2 * PAUSE_SECONDS)
            await pilot.app.workers.wait_for_complete()
            assert not chat_of(pilot).query_one(PassagesAhead).lines

    run(steps)


def test_the_passages_are_there_and_open_while_the_model_reads(app_of: AppOf, vault_folder: Path) -> None:
    class Reading(ScriptedEngine):
        """Waits for the test before its first word."""

        go_on = threading.Event()

        def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
            self.go_on.wait(SECONDS)
            return super().stream(request, cancelled)

    async def steps() -> None:
        engine = Reading("NOT IN NOTES")
        async with app_of(vault_folder, engine).run_test(size=(120, 40), notifications=True) as pilot:
            await opened(pilot)
            box_of(pilot).put(LEASE)
            await pilot.press("enter")
            try:
                second = await second_passage_opened(pilot)
                await until(pilot, lambda: re.search(r"Reading .* … \d+ s", text_of(last(pilot))))
                await pilot.press("ctrl+g")
                assert "that can be shown when it is complete" in toasts(pilot.app)[0]
                assert "answering …" in chat_of(pilot).query_one(StatusLine).render().plain
            finally:
                engine.go_on.set()
            await until(pilot, lambda: not chat_of(pilot).is_busy)
            assert "answering …" not in chat_of(pilot).query_one(StatusLine).render().plain
            assert not chat_of(pilot).query(PassageLine)
            assert chat_of(pilot).query_one(NoteReader).passage == second.source, "what is being read stays open"
            assert isinstance(pilot.app.focused, SourceLine) and pilot.app.focused.source == second.source

    async def second_passage_opened(pilot: Pilot[int]) -> PassageLine:
        await until(pilot, lambda: len(chat_of(pilot).query(PassageLine)) > 1)
        first, second = list(chat_of(pilot).query(PassageLine))[:2]
        assert "[1] mietvertrag.md" in str(first.render())
        await pilot.press("tab")
        await until(pilot, lambda: first.has_focus)
        await pilot.press("down")
        await until(pilot, lambda: second.has_focus)
        await pilot.press("enter")
        await until(pilot, lambda: chat_of(pilot).query_one(NoteReader).passage == second.source)
        second.focus()
        await until(pilot, lambda: second.has_focus)
        return second

    run(steps)


def test_passages_that_are_read_a_second_time_are_shown_once(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine("NOT IN NOTES")).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            block = await ask(pilot, LEASE)
            found = block.answered and block.answered.turn.found
            assert found
            for _ in range(2):
                await block.begin(found, is_read=True)
            numbers = [line.source.number for line in block.query(PassageLine)]
            assert numbers and len(numbers) == len(set(numbers))

    run(steps)


def test_where_the_notes_do_not_tell_the_nearest_passages_stay(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine("NOT IN NOTES")).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            block = await ask(pilot, LEASE)
            assert block.answered is not None and block.answered.turn.abstained
            assert "The nearest passages:" in text_of(block) and "[1] mietvertrag.md" in text_of(block)

    run(steps)


def test_tab_walks_to_the_sources_and_enter_opens_one_in_its_document(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            panel = chat_of(pilot).query_one(NoteReader)
            assert not panel.display
            await pilot.press("tab")
            assert isinstance(pilot.app.focused, SourceLine)
            await pilot.press("enter")
            await until(pilot, lambda: panel.note is not None)
            assert panel.display and panel.has_focus_within
            await until(pilot, lambda: "bis zum 30. September" in words(pilot.app))
            assert "mietvertrag.md" in words(pilot.app) and "▌" in words(pilot.app)
            await pilot.press("y")
            assert "30. September 2026" in pilot.app.clipboard
            await pilot.press("escape")
            assert not panel.display and box_of(pilot).has_focus

    run(steps)


def test_a_citation_in_the_answer_and_its_number_key_open_it_too(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(140, 40)) as pilot:
            await opened(pilot)
            block = await ask(pilot, LEASE)
            panel = chat_of(pilot).query_one(NoteReader)
            assert panel.display, "in a wide terminal the first source stands beside its answer"
            at = text_of(block.query_one(AnswerText)).index("[1]")
            paragraph = block.query("MarkdownParagraph").first()
            await pilot.click(paragraph, offset=(at % paragraph.size.width + 1, at // paragraph.size.width))
            await until(pilot, lambda: panel.has_focus_within)
            await pilot.press("escape", "tab", "1")
            await until(pilot, lambda: panel.has_focus_within)
            assert panel.passage is not None and panel.passage.number == 1
            await pilot.press("ctrl+o")
            assert not panel.display

    run(steps)


def test_a_source_whose_file_is_gone_says_so_and_shows_what_was_indexed(
    app_of: AppOf, tmp_path: Path, vault_folder: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "boat.md").write_text("The Marlin was built in Hull in 1931.\n")
    with Vault(tmp_path / "own", load_settings(models_dir=tmp_path / "no-models")) as vault:
        vault.index([notes])

    async def steps() -> None:
        engine = ScriptedEngine("The Marlin was built in Hull [1].")
        async with app_of(tmp_path / "own", engine).run_test(size=(140, 40)) as pilot:
            await opened(pilot)
            (notes / "boat.md").unlink()
            await ask(pilot, "Where was the Marlin built?")
            panel = chat_of(pilot).query_one(NoteReader)
            await until(pilot, lambda: "is gone" in text_of(panel))
            assert panel.note is not None and "built in Hull in 1931" in panel.note.text.lines[0]

    run(steps)


def test_retry_asks_again_and_edit_puts_the_question_back(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        engine = ScriptedEngine("First [1].", "Second [1].", "Third [1].")
        async with app_of(vault_folder, engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            await pilot.press("ctrl+r")
            await until(pilot, lambda: not chat_of(pilot).is_busy and "Second" in text_of(last(pilot)))
            assert len(chat_of(pilot).conversation.blocks) == 1
            await pilot.press("ctrl+e")
            assert box_of(pilot).text == LEASE
            box_of(pilot).put(f"{LEASE} Genau?")
            await pilot.press("enter")
            await until(pilot, lambda: not chat_of(pilot).is_busy and "Third" in text_of(last(pilot)))
            assert [turn.question for turn in chat_of(pilot).conversation.turns] == [f"{LEASE} Genau?"]
            kept = await chat_of(pilot).session.read(
                lambda vault: [vault.conversations.turns(one.id) for one in vault.conversations.all()]
            )
            assert [[turn.answer for turn in turns] for turns in kept] == [
                [chat_of(pilot).conversation.turns[-1].answer]
            ]
            await pilot.press("ctrl+y")
            assert pilot.app.clipboard.startswith("Third [")

    run(steps)


@pytest.mark.parametrize(("seconds", "rate"), [(3.5, "10/s"), (1.505, "")])
def test_words_that_came_all_at_once_have_no_rate(seconds: float, rate: str) -> None:
    cost = Cost(first_word_seconds=1.5, seconds=seconds, read_tokens=197, written_tokens=21)
    shown = str(TurnCost(replace(TURN, cost=cost)).render())
    assert shown.endswith(f"21 written, {rate}" if rate else "21 written")


@pytest.mark.parametrize("ends", ["by escape", "by an error"])
def test_a_retry_that_is_not_answered_leaves_the_earlier_answer(app_of: AppOf, vault_folder: Path, ends: str) -> None:
    class Halting(ScriptedEngine):
        """Waits in its second answer until it is stopped."""

        def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
            inner = super().stream(request, cancelled)

            def slowly() -> Generator[str, None, Completion]:
                for piece in inner:
                    yield piece
                    while piece == "more" and not cancelled():
                        time.sleep(0.01)
                return inner.result

            return Stream(slowly())

    async def steps() -> None:
        engine = Halting("First [1].")
        engine.enqueue("Second words. And more [1]." if ends == "by escape" else ModelError("Out of memory."))
        engine.enqueue("Third [1].")
        async with app_of(vault_folder, engine).run_test(size=(80, 24), notifications=True) as pilot:
            await opened(pilot)
            first = await ask(pilot, LEASE)
            await pilot.press("ctrl+r")
            if ends == "by escape":
                await until(pilot, lambda: "Second words" in last(pilot).query_one(AnswerText).source)
                await pilot.press("escape")
            await until(pilot, lambda: any("The earlier answer stays." in one for one in toasts(pilot.app)))
            await until(pilot, lambda: not chat_of(pilot).is_busy)
            assert chat_of(pilot).conversation.blocks == [first] and first.display
            assert [turn.answer[:5] for turn in await kept_turns(pilot)] == ["First"]
            await pilot.press("ctrl+r")
            await until(pilot, lambda: not chat_of(pilot).is_busy and "Third" in text_of(last(pilot)))
            assert len(chat_of(pilot).query(AnswerBlock)) == 1
            assert [turn.answer[:5] for turn in await kept_turns(pilot)] == ["Third"]

    async def kept_turns(pilot: Pilot[Any]) -> tuple[Turn, ...]:
        number = chat_of(pilot).conversation_state.number
        assert number is not None
        return await chat_of(pilot).session.read(lambda vault: vault.conversations.turns(number))

    run(steps)


@pytest.mark.parametrize("why", ["its note is being forgotten", "the file is broken"])
def test_the_retry_of_an_answer_that_could_not_be_stored_replaces_no_other(
    app_of: AppOf, vault_folder: Path, why: str
) -> None:
    async def steps() -> None:
        engine = ScriptedEngine("First [1].", "Second [1].", "Third [1].", "Fourth [1].", "Fifth [1].")
        async with app_of(vault_folder, engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            with unstorable():
                refused = await ask(pilot, LEASE)
                assert "Second" in text_of(refused) and not refused.is_kept
                assert len(chat_of(pilot).conversation.turns) == (1 if "forgotten" in why else 2)
            await pilot.press("ctrl+r")
            await until(pilot, lambda: not chat_of(pilot).is_busy and "Third" in text_of(last(pilot)))
            assert await kept_answers(pilot) == ["First", "Third"]
            with unstorable():
                await pilot.press("ctrl+r")
                await until(pilot, lambda: len(engine.history) == 4 and not chat_of(pilot).is_busy)
                assert "Third" in text_of(last(pilot)), "the earlier answer stays"
            await pilot.press("ctrl+r")
            await until(pilot, lambda: not chat_of(pilot).is_busy and "Fifth" in text_of(last(pilot)))
            assert await kept_answers(pilot) == ["First", "Fifth"]

    @contextmanager
    def unstorable() -> Iterator[None]:
        """Makes that no answer can be stored meanwhile."""
        if why == "the file is broken":
            file = vault_folder / FILE_NAME
            file.rename(aside := vault_folder / "aside")
            file.write_text("No conversations at all. " * 100, encoding="utf-8")
            yield
            aside.replace(file)
            return
        with Store.open(vault_folder, write=True) as store:
            note_forgetting(store, Forgetting(("/",), conversations=True))
        yield
        with Store.open(vault_folder, write=True) as store:
            drop_forgetting(store)

    async def kept_answers(pilot: Pilot[Any]) -> list[str]:
        kept = await chat_of(pilot).session.read(
            lambda vault: [turn for one in vault.conversations.all() for turn in vault.conversations.turns(one.id)]
        )
        return [turn.answer.split()[0] for turn in kept]

    run(steps)


def test_a_draft_comes_back_after_editing_the_last_question(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        engine = ScriptedEngine("First [1].", "Second [1].")
        async with app_of(vault_folder, engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            box_of(pilot).put("A draft")
            await pilot.press("ctrl+e")
            assert box_of(pilot).text == LEASE
            await pilot.press("escape")
            assert (box_of(pilot).text, box_of(pilot).is_editing) == ("A draft", False)
            await pilot.press("ctrl+e", "enter")
            await until(pilot, lambda: not chat_of(pilot).is_busy and "Second" in text_of(last(pilot)))
            assert (box_of(pilot).text, box_of(pilot).is_editing) == ("A draft", False)

    run(steps)


def test_source_and_cost_belong_to_the_conversation_that_is_open(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(140, 40)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            line = chat_of(pilot).query_one(AskLine)
            assert "last answer" in str(line.render())
            assert chat_of(pilot).check_action("toggle_source", ())
            number = chat_of(pilot).conversation_state.number
            await pilot.press("ctrl+n")
            await until(pilot, lambda: not chat_of(pilot).conversation.blocks)
            assert "last answer" not in str(line.render())
            assert not chat_of(pilot).check_action("toggle_source", ())
            assert number is not None
            chat_of(pilot).open_conversation(number)
            await until(pilot, lambda: "last answer" in str(line.render()))

    run(steps)


def test_the_passages_alone_are_a_mode(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        engine = ScriptedEngine(ANSWER)
        async with app_of(vault_folder, engine).run_test(size=(100, 30)) as pilot:
            await opened(pilot)
            chat_of(pilot).run_command("/passages")
            line = chat_of(pilot).query_one(AskLine)
            await until(pilot, lambda: "passages alone" in str(line.render()))
            block = await ask(pilot, LEASE)
            assert block.answered is not None and not block.answered.turn.model
            assert "no language model is installed" not in text_of(block)
            chat_of(pilot).run_command("/passages")
            await until(pilot, lambda: "passages alone" not in str(line.render()))
            await ask(pilot, LEASE)
            assert chat_of(pilot).conversation.turns[-1].model

    run(steps)


def test_up_recalls_the_questions_of_earlier_conversations(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await until(pilot, lambda: box_of(pilot)._asked)
            await pilot.press("up")
            assert box_of(pilot).text == LEASE

    run(steps)


def test_a_follow_up_is_made_to_stand_alone_and_shown(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        engine = ScriptedEngine(
            "Marta Oliveira is a friend [1].", "Where does Marta Oliveira live?", "Marta lives in Plagwitz [1]."
        )
        async with app_of(vault_folder, engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, "Who is Marta Oliveira?")
            block = await ask(pilot, "Where does she live?")
            assert "asked as: Where does Marta Oliveira live?" in text_of(block)
            assert "Where does Marta Oliveira live?" in engine.history[-1].messages[-1].content
            turn = chat_of(pilot).conversation.turns[-1]
            assert (turn.question, turn.asked_as) == ("Where does she live?", "Where does Marta Oliveira live?")

    run(steps)


def test_a_question_that_stands_alone_asks_the_model_once(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        engine = ScriptedEngine("Marta is a friend [1].", "Er endet 2026 [1].")
        async with app_of(vault_folder, engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, "Who is Marta Oliveira?")
            await ask(pilot, LEASE)
            assert len(engine.history) == 2

    run(steps)


def test_commands_change_how_the_next_question_is_asked(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(100, 30)) as pilot:
            await opened(pilot)
            await pilot.press("/")
            hints = chat_of(pilot).query_one(CommandHints)
            await until(pilot, lambda: hints.size.height == len(COMMANDS))
            await pilot.press(*"met")
            await until(pilot, lambda: "/method" in str(chat_of(pilot).query_one(CommandHints).render()))
            await pilot.press("tab", *"bm")
            await pilot.pause()
            await pilot.press("tab", "enter")
            await until(pilot, lambda: chat_of(pilot).choices.method == "bm25")
            for command in ("/budget 300", "/scope home"):
                box_of(pilot).put(command)
                await pilot.press("enter")
            line = chat_of(pilot).query_one(AskLine)
            await until(
                pilot, lambda: "method bm25 · up to 300 tokens" in str(line.render()) and "home" in str(line.render())
            )
            await ask(pilot, LEASE)
            found = chat_of(pilot).conversation.turns[-1].found
            assert found.method == "bm25" and found.tokens <= 300
            assert all("/home/" in source.path for source in found.sources)

    run(steps)


def test_a_wrong_command_says_what_there_is_and_changes_nothing(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test(size=(100, 30), notifications=True) as pilot:
            await opened(pilot)
            before = chat_of(pilot).choices
            for command, told in (
                ("/metod x", "There is no command /metod. There are: /method"),
                ("/method best", "Choose one of: noderag"),
                ("/budget many", "/budget takes a number"),
                ("/scope nowhere/at/all", "nowhere/at/all"),
            ):
                box_of(pilot).put(command)
                await pilot.press("enter")
                await until(pilot, lambda told=told: any(told in toast for toast in toasts(pilot.app)))  # type: ignore[misc]
            assert chat_of(pilot).choices == before
            assert not chat_of(pilot).conversation.blocks

    run(steps)


def test_without_a_model_the_passages_answer_as_they_are(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await until(pilot, lambda: "no model" in str(chat_of(pilot).query_one(AskLine).render()))
            block = await ask(pilot, LEASE)
            assert "30. September 2026" in text_of(block)
            assert "no language model is installed. F5" in text_of(block)
            assert block.query(SourceLine)

    run(steps)


def test_a_hostile_answer_shows_as_text(app_of: AppOf, vault_folder: Path) -> None:
    hostile = (
        "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07 [red]bold[/red] [/] [@click=app.quit]x[/] "
        "![i](http://evil.example/i.png) <b onclick=x>y</b> \u202egnp.exe [x](http://evil.example)\n\n"
        "| a [/b] | c |\n|---|---|\n| [/] | [@click=app.bell]d[/] |\n\n```[/python]\nx = '[/]'\n```\n\n# [/h1]\n\n> [/q] "
        + "w"
        * 10_000
    )

    async def steps() -> None:
        engine = ScriptedEngine(hostile, context_length=100_000)
        async with app_of(vault_folder, engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            block = await ask(pilot, LEASE)
            shown = text_of(block)
            assert "[red]bold[/red]" in shown and "[link]" in shown and "evil.example" not in shown
            assert not {"\x1b", "\x07", "\u202e"} & set(shown)
            svg = pilot.app.export_screenshot()
            assert "\x1b" not in svg and 'href="http://evil' not in svg

    run(steps)


def test_an_error_of_the_model_is_told_in_the_conversation(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        engine = ScriptedEngine()
        engine.enqueue(ModelError("The model [ran] out of memory. Close other programs."))
        engine.enqueue("Good [1].")
        async with app_of(vault_folder, engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            block = await ask(pilot, LEASE)
            assert "The model [ran] out of memory." in text_of(block)
            await pilot.press("ctrl+r")
            await until(pilot, lambda: not chat_of(pilot).is_busy and "Good" in text_of(last(pilot)))
            assert len(chat_of(pilot).conversation.blocks) == 1

    run(steps)


def test_a_suggested_question_is_asked_by_choosing_it(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await until(pilot, lambda: len(chat_of(pilot).query(Suggestion)) == 3)
            question = chat_of(pilot).query(Suggestion).first().question
            await pilot.press("tab", "enter")
            await until(pilot, lambda: not chat_of(pilot).is_busy and chat_of(pilot).conversation.turns)
            assert last(pilot).question == question
            assert not chat_of(pilot).query(Suggestion)

    run(steps)


def test_a_conversation_is_kept_named_exported_and_opened_again(
    app_of: AppOf, vault_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            number = chat_of(pilot).conversation_state.number
            assert number is not None
            for command in ("/name The flat", "/export"):
                box_of(pilot).put(command)
                await pilot.press("enter")
                await pilot.pause(0.2)
            await until(pilot, lambda: list(tmp_path.glob("The flat.md")))
            assert "befristet" in (tmp_path / "The flat.md").read_text()
            await pilot.press("ctrl+n")
            await until(pilot, lambda: not chat_of(pilot).conversation.blocks)
            chat_of(pilot).open_conversation(number)
            await until(pilot, lambda: chat_of(pilot).conversation.turns)
            await until(pilot, lambda: "(no source supports this)" in text_of(last(pilot)))
            await until(pilot, lambda: str(chat_of(pilot).conversation.border_title) == "The flat")
            await pilot.press("up")
            assert box_of(pilot).text == LEASE

    run(steps)


def test_notes_that_change_while_a_conversation_is_opened_leave_it_open(app_of: AppOf, vault_folder: Path) -> None:
    go_on = threading.Event()

    async def steps() -> None:
        app = app_of(vault_folder, ScriptedEngine(ANSWER))
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            chat = chat_of(pilot)
            number = chat.conversation_state.number
            assert number is not None
            await pilot.press("ctrl+n")
            await until(pilot, lambda: chat.query(Suggestion))
            occupied = asyncio.create_task(app.session.read(lambda _: go_on.wait(SECONDS)))
            chat.open_conversation(number)
            await pilot.pause()
            app.note_changes.publish(None)
            await pilot.pause()
            go_on.set()
            assert await occupied
            await until(pilot, lambda: [turn.question for turn in chat.conversation.turns] == [LEASE])
            await until(pilot, lambda: chat.conversation.border_title == chat.conversation_state.name)
            assert chat.conversation_state.number == number and not chat.query(Suggestion)

    try:
        run(steps)
    finally:
        go_on.set()


def test_enter_waits_for_letters_that_are_on_their_way(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            for key in [*LEASE.replace(" ", "_").replace("?", ""), "enter"]:
                pilot.app.post_message(events.Key(key, key if key != "enter" else "\r"))
            await until(pilot, lambda: chat_of(pilot).conversation.blocks)
            assert last(pilot).question == "Wann_endet_der_Mietvertrag"

    run(steps)


def test_shift_enter_begins_a_line_and_up_and_down_walk_through_what_was_asked(
    app_of: AppOf, vault_folder: Path
) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine("One [1].", "Two [1].")).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await pilot.press("a", "shift+enter", "b", "ctrl+j", "c")
            assert box_of(pilot).text == "a\nb\nc"
            await ask(pilot, "Who is Marta Oliveira?")
            await ask(pilot, LEASE)
            await pilot.press("up")
            assert box_of(pilot).text == LEASE
            await pilot.press("up")
            assert box_of(pilot).text == "Who is Marta Oliveira?"
            await pilot.press("down", "down")
            assert box_of(pilot).text == ""

    run(steps)


def test_why_opens_what_led_to_the_answer_and_escape_comes_back(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(100, 30)) as pilot:
            await opened(pilot)
            await pilot.press("ctrl+g")
            assert isinstance(pilot.app.screen, ChatScreen), "there is nothing to explain yet"
            await ask(pilot, LEASE)
            await pilot.press("ctrl+g")
            await until(pilot, lambda: isinstance(pilot.app.screen, WhyDialog))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(pilot.app.screen, ChatScreen))

    run(steps)


def test_talks_and_scope_are_chosen_in_dialogs(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(100, 30)) as pilot:
            await opened(pilot)
            chat_of(pilot).choose(AskChoices(scope=Scope("home")))
            await ask(pilot, LEASE)
            await pilot.press("ctrl+n")
            await until(pilot, lambda: not chat_of(pilot).conversation.blocks)
            assert chat_of(pilot).choices.scope.is_everything
            await pilot.press("ctrl+t")
            await until(pilot, lambda: isinstance(pilot.app.screen, ConversationsDialog))
            await pilot.pause(0.3)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, ChatScreen) and chat_of(pilot).conversation.turns)
            assert last(pilot).question == LEASE
            box_of(pilot).put("/scope")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, ScopeDialog))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(pilot.app.screen, ChatScreen))
            assert chat_of(pilot).choices.scope == Scope("home"), "as its last question"

    run(steps)


def test_an_open_conversation_that_is_renamed_in_the_list_shows_its_new_name(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(100, 30)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            await pilot.press("ctrl+t")
            await until(pilot, lambda: isinstance(pilot.app.screen, ConversationsDialog))
            await until(pilot, lambda: pilot.app.screen.query_one(OptionList).highlighted == 0)
            await pilot.press("ctrl+r")
            await until(pilot, lambda: isinstance(pilot.app.screen, NamingDialog))
            pilot.app.screen.query_one(Input).value = "The flat"
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, ConversationsDialog))
            await until(pilot, lambda: "The flat" in words(pilot.app))
            await pilot.press("escape")
            await until(pilot, lambda: chat_of(pilot).conversation.border_title == "The flat")

    run(steps)


def test_the_palette_offers_the_commands_of_the_chat(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test(size=(100, 30)) as pilot:
            await opened(pilot)
            await pilot.press("ctrl+p")
            await until(pilot, lambda: pilot.app.screen is not pilot.app.screen_stack[0])
            await until(pilot, lambda: "passages alone" in words(pilot.app))
            offered = [str(option.prompt) for option in pilot.app.screen.query_one(OptionList).options]
            assert [line.startswith("Chat: ") for line in offered] == [True] * 8 + [False] * (len(offered) - 8)
            assert "Method: ket" not in words(pilot.app), "for those who type the word"
            pilot.app.screen.query_one(Input).value = "method bm25"
            await until(pilot, lambda: "Method: bm25" in words(pilot.app))
            # On a busy machine the list is not ready for the first of these.
            while not isinstance(pilot.app.screen, ChatScreen):
                await pilot.press("enter")
                await pilot.pause(0.3)
            await until(pilot, lambda: isinstance(pilot.app.screen, ChatScreen) and chat_of(pilot).choices.method)
            assert chat_of(pilot).choices.method == "bm25"

    run(steps)


def test_an_editor_that_is_missing_or_cannot_be_shown_is_told(
    app_of: AppOf, vault_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setenv("PATH", "")

    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(140, 40), notifications=True) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            await pilot.press("tab", "enter")
            await until(pilot, lambda: chat_of(pilot).query_one(NoteReader).has_focus_within)
            await pilot.press("e")
            await until(pilot, lambda: any("export EDITOR=nano" in toast for toast in toasts(pilot.app)))
            monkeypatch.setenv("EDITOR", "nano")
            await pilot.press("e")
            await until(pilot, lambda: any("cannot be handed to an editor" in toast for toast in toasts(pilot.app)))

    run(steps)


def test_a_computed_answer_asks_no_model_and_stays_as_it_is_when_opened_again(app_of: AppOf, tmp_path: Path) -> None:
    notes = tmp_path / "Recipes"
    notes.mkdir()
    for name in ("Soup", "Pie"):
        (notes / f"{name}.md").write_text("Take three leeks.", encoding="utf-8")
    with Vault(tmp_path / "vault", load_settings()) as vault:
        vault.index([notes])

    async def steps() -> None:
        engine = ScriptedEngine()
        async with app_of(tmp_path / "vault", engine).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            block = await ask(pilot, "Which recipes use leeks?")
            lines = [line.source.path for line in block.query(SourceLine)]
            assert [Path(path).name for path in lines] == ["Pie.md", "Soup.md"]
            assert "no source supports" not in text_of(block)
            assert not engine.history
            number = chat_of(pilot).conversation_state.number
            assert number is not None
            await pilot.press("ctrl+n")
            chat_of(pilot).open_conversation(number)
            await until(pilot, lambda: len(chat_of(pilot).conversation.turns) == 1)
            await until(pilot, lambda: len(last(pilot).query(SourceLine)) == 2)
            assert "no source supports" not in text_of(last(pilot))

    run(steps)


def test_a_computed_answer_is_explained_by_what_was_computed_and_its_sentences(app_of: AppOf, tmp_path: Path) -> None:
    notes = tmp_path / "Recipes"
    notes.mkdir()
    for name in ("Soup", "Pie"):
        (notes / f"{name}.md").write_text(f"{name}: Take three leeks.", encoding="utf-8")
    with Vault(tmp_path / "vault", load_settings()) as vault:
        vault.index([notes])

    async def steps() -> None:
        async with app_of(tmp_path / "vault").run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            block = await ask(pilot, "Which recipes use leeks?")
            await pilot.press("ctrl+g")
            await until(pilot, lambda: isinstance(pilot.app.screen, ComputedDialog) and pilot.app.focused)
            told = words(pilot.app)
            assert block.answered is not None and block.answered.turn.note
            assert " ".join(block.answered.turn.note.split()) in told
            assert "It rests on 2 sentences" in told and "Soup.md" in told and "Pie: Take three leeks." in told
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, ExploreScreen))
            reader = pilot.app.screen.query_one(NoteReader)
            await until(pilot, lambda: reader.passage is not None and "leeks" in reader.passage.text)

    run(steps)


def test_a_copied_answer_says_what_its_numbers_stand_for(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            block = await ask(pilot, LEASE)
            await pilot.press("ctrl+y")
            answer, _, sources = pilot.app.clipboard.rpartition("\n\n")
            assert block.answered is not None and answer == block.answered.turn.answer.strip()
            cited = [line.source for line in block.query(SourceLine)]
            assert [line.split(" ")[0] for line in sources.splitlines()] == [f"[{one.number}]" for one in cited]
            assert f"mietvertrag.md:{cited[0].first_line}" in sources

    run(steps)


def test_without_the_current_folder_an_answer_is_copied_and_no_file_is_written(
    app_of: AppOf, vault_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")

    async def steps() -> None:
        app = app_of(vault_folder, ScriptedEngine(ANSWER))
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            (tmp_path / "gone").rmdir()
            await pilot.press("ctrl+y")
            assert "mietvertrag.md" in app.clipboard
            box_of(pilot).put("/export")
            await pilot.press("enter")
            await until(pilot, lambda: any("current folder no longer exists" in words for words in toasts(app)))

    run(steps)


def test_a_new_conversation_asks_all_notes(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER)).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            chat_of(pilot).choose(AskChoices(budget_tokens=400, scope=Scope("home")))
            await ask(pilot, LEASE)
            await pilot.press("ctrl+n")
            assert chat_of(pilot).choices == AskChoices(budget_tokens=400)
            await until(pilot, lambda: "home" not in str(chat_of(pilot).query_one(AskLine).content))

    run(steps)


def test_a_follow_up_for_another_name_shows_what_it_was_asked_as(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder).run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await ask(pilot, "Where does Marta live?")
            block = await ask(pilot, "And Tomasz?")
            assert "asked as: Where does Tomasz live?" in text_of(block)

    run(steps)


def test_a_conversation_goes_on_at_both_sizes_when_the_window_changes(app_of: AppOf, vault_folder: Path) -> None:
    async def steps() -> None:
        async with app_of(vault_folder, ScriptedEngine(ANSWER, ANSWER)).run_test(size=(140, 40)) as pilot:
            await opened(pilot)
            await ask(pilot, LEASE)
            panel = chat_of(pilot).query_one(NoteReader)
            assert panel.display
            await pilot.resize_terminal(80, 24)
            await until(pilot, lambda: not panel.display)
            assert chat_of(pilot).conversation.display
            await pilot.press("ctrl+o")
            assert panel.display and not chat_of(pilot).conversation.display
            await pilot.press("escape")
            await ask(pilot, LEASE)
            assert chat_of(pilot).conversation.display

    run(steps)
