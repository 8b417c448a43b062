"""Searching, as a person does it: by keys, over real vaults."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.conversation_turns import TURN
from interfaces.tui.key_navigation import NARROW, WIDE, Walk, walking
from interfaces.tui.people_notes import indexed
from interfaces.tui.screen_text import lines, raw_controls, shown, words
from interfaces.tui.waiting import SECONDS
from textual.widgets import Input, Label

from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen
from noderag_local.interfaces.tui.chat.question_box import QuestionBox
from noderag_local.interfaces.tui.reader.navigation import step_to
from noderag_local.interfaces.tui.reader.node_page import NodePage
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.search.hit_list import HitList
from noderag_local.interfaces.tui.search.search_screen import SearchScreen
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.retrieval.search_line import read_search_line
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.vault.browsing.instant_search import HitKind

AppOf = Callable[..., NoderagApp]

HOSTILE = [
    "\x1b]0;owned\x07",
    "\x1b[2J\x1b[H",
    "\x9b31m",
    "\u202egnp.exe\u202c",
    "zero\u200bwidth",
    "[@click=app.quit]quit[/]",
    "[/bold]",
    "界" * 50,
]
NOTES = {
    "home/Lease.md": (
        "---\ntitle: Lease of the flat\naliases: [Mietvertrag]\ntags: [home]\n---\n\nMarta Oliveira signed it in Porto.\n\n"
        + "Nothing happened.\n\n" * 30
        + "The deposit is 940 euros.\n"
    ),
    "trips/2024-05-02 Porto.md": "# Porto\n\nThe train left at nine. Marta Oliveira met us.\n",
    "trips/2025-06-01 Ghent.md": "# Ghent\n\nThe room cost 84 euros. A deposit was asked.\n",
    "list.txt": "deposit bottles\nbread\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A small vault of NOTES, changed a day after one another, the last one last."""
    notes = tmp_path / "notes"
    for day, (name, text) in enumerate(NOTES.items()):
        path = notes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_700_000_000 + 86_400 * day,) * 2)
    return indexed(notes, tmp_path / "vault")


async def search(walk: Walk, text: str = "") -> HitList:
    """Opens the screen, types a line and waits for what it finds."""
    await walk.press("f7")
    await walk.until(lambda: isinstance(walk.app.screen, SearchScreen))
    await walk.press(*("space" if sign == " " else sign for sign in text))
    await found(walk, text)
    return walk.one(HitList)


async def found(walk: Walk, text: str) -> None:
    """Waits until everything that belongs to a line is listed and its first hit is shown beside the list."""
    line = read_search_line(text)
    await walk.until(lambda: screen(walk).found.line == line and "coming" not in told(walk))
    assert walk.one(Input).value == text


def screen(walk: Walk) -> SearchScreen:
    assert isinstance(walk.app.screen, SearchScreen)
    return walk.app.screen


def told(walk: Walk) -> str:
    return lines(walk.app)[1]


def names(hits: HitList) -> list[str]:
    return [f"{hit.kind} {hit.name}" for hit in hits.hits]


def test_an_empty_line_lists_what_changed_last(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk)
        await walk.until(lambda: hits.count == 4)
        assert names(hits) == ["changed list", "changed Ghent", "changed Porto", "changed Lease of the flat"]
        assert "4 documents" in told(walk)
        assert hits.cells(1, 70)[-1][0].strip() == str(hits.hits[1].changed) != str(hits.hits[1].day)
        await walk.until(lambda: "deposit bottles" in walk.page)
        await walk.press("ctrl+s")
        await walk.until(lambda: hits.cells(0, 70)[-1][0].strip() == "2025-06-01")

    walking(app_of(vault), steps, WIDE)


def test_titles_aliases_and_names_come_before_passages_and_these_before_meaning(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, "mietvertrag")
        assert names(hits)[0] == "title Lease of the flat"
        assert "Mietvertrag → Lease of the flat" in shown(walk.app)
        await walk.press("ctrl+u", *"porto")
        await found(walk, "porto")
        kinds = [hit.kind for hit in hits.hits]
        assert names(hits)[:2] == ["title Porto", "name Porto"]
        order = [HitKind.TITLE, HitKind.NAME, HitKind.TEXT, HitKind.MEANING]
        assert kinds == sorted(kinds, key=order.index)
        assert HitKind.TEXT in kinds

    walking(app_of(vault), steps, WIDE)


def test_documents_of_one_title_are_told_apart_by_their_files(app_of: AppOf, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    for name in ("2026-11-03 Weekly", "2026-11-10 Weekly", "Budget"):
        notes.mkdir(exist_ok=True)
        (notes / f"{name}.md").write_text(f"# {name.split()[-1]}\n\nThe housing is late.\n", encoding="utf-8")
    folder = indexed(notes, tmp_path / "vault")

    async def steps(walk: Walk) -> None:
        await search(walk, "weekly")
        page = shown(walk.app)
        assert "Weekly  2026-11-03 Weekly" in page and "Weekly  2026-11-10 Weekly" in page
        await walk.press("ctrl+u", *"housing")
        await found(walk, "housing")
        assert "2026-11-10 Weekly" in shown(walk.app)

    walking(app_of(folder), steps)


def test_letters_of_a_title_find_it(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, "mtvrtrg")
        assert names(hits)[0] == "title Lease of the flat"

    walking(app_of(vault), steps)


def test_a_passage_is_shown_in_its_document_and_enter_reads_it_and_escape_comes_back(
    app_of: AppOf, vault: Path
) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, "deposit 940")
        await walk.until(lambda: "The deposit is 940 euros." in shown(walk.app))
        assert walk.one(Input).has_focus
        assert hits.hit is not None and hits.hit.kind is HitKind.TEXT
        await walk.press("enter")
        reader = walk.one(NoteReader)
        assert reader.has_focus_within and reader.passage is not None
        assert reader.passage.text == "The deposit is 940 euros."
        assert "▌ The deposit is 940 euros." in shown(walk.app)
        await walk.press("escape")
        assert walk.one(Input).has_focus and walk.one(Input).value == "deposit 940"
        assert hits.cursor == 0

    walking(app_of(vault), steps, WIDE)


def test_a_page_that_is_still_being_read_does_not_come_over_later_lines(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        await search(walk, "deposit 940")
        await walk.until(lambda: "The deposit is 940 euros." in shown(walk.app))
        reader = walk.one(NoteReader)
        opened = reader.passage
        assert opened is not None
        reader.say("Nothing found")
        reader.open(step_to(opened))
        await asyncio.sleep(0)
        reader.say("Nothing found")
        await asyncio.sleep(0.5)
        assert "Nothing found" in shown(walk.app) and reader.note is None
        assert str(reader.query_one(".crumbs", Label).render()) == ""

    walking(app_of(vault), steps, WIDE)


@pytest.mark.parametrize("comes_from", ["f7", "f2"])
def test_the_key_of_the_search_always_begins_a_new_line(app_of: AppOf, vault: Path, comes_from: str) -> None:
    """Letters that go to a page act as its keys: `e` would open an editor."""

    async def steps(walk: Walk) -> None:
        await search(walk, "deposit 940")
        await walk.press("enter")
        assert walk.one(NoteReader).has_focus_within
        await walk.press(comes_from, "f7", *"ghent")
        await found(walk, "ghent")
        assert walk.one(Input).has_focus and not screen(walk).is_reading

    walking(app_of(vault), steps, WIDE)


def test_in_a_small_terminal_the_document_takes_the_place_of_the_list(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, "ghent")
        await walk.until(lambda: "A deposit was asked." in shown(walk.app))
        await walk.press("enter")
        await walk.until(lambda: not hits.region.height)
        assert walk.one(NoteReader).has_focus_within
        await walk.press("escape")
        await walk.until(lambda: hits.region.height)

    walking(app_of(vault), steps, (60, 16))


def test_a_link_of_the_page_is_followed_and_escape_goes_back_page_by_page(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        await search(walk, "marta oliveira")
        await walk.until(lambda: walk.page.startswith("Marta Oliveira"))
        await walk.press("enter", "end", "enter")
        await walk.until(lambda: walk.one(NoteReader).note is not None)
        await walk.press("escape")
        await walk.until(lambda: walk.one(NoteReader).note is None)
        await walk.press("escape")
        assert walk.one(Input).has_focus

    walking(app_of(vault), steps, WIDE)


@pytest.mark.parametrize(
    ("line", "titles"),
    [
        ("tag:home", ["Lease of the flat"]),
        ("kind:txt", ["list"]),
        ("folder:trips", ["Ghent", "Porto"]),
        ("folder:trips after:2024", ["Ghent"]),
        ("folder:trips before:2025", ["Porto"]),
        ("folder:trips deposit", ["Ghent"]),
    ],
)
def test_filters_are_typed_in_the_line(app_of: AppOf, vault: Path, line: str, titles: list[str]) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, line)
        listed = [hit.name for hit in hits.hits if hit.kind is not HitKind.MEANING]
        assert listed == titles
        assert " in " in told(walk)

    walking(app_of(vault), steps, WIDE)


def test_tab_completes_a_filter_and_a_wrong_one_empties_the_list(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk)
        await walk.until(lambda: hits.count == 4)
        await walk.press(*"folder:tri")
        await walk.until(lambda: told(walk).startswith(" tab: notes/trips"))
        assert hits.count == 4
        await walk.press("tab")
        await walk.until(lambda: hits.count == 2)
        assert walk.one(Input).value == "folder:notes/trips "
        await walk.press(*"after:2", "space")
        await walk.until(lambda: "2 is no date" in told(walk))
        await walk.until(lambda: hits.count == 0 and "deposit" not in words(walk.app))

    walking(app_of(vault), steps)


def test_one_key_sorts_by_day_and_the_cursor_stays_on_its_hit(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, "deposit")
        before = names(hits)
        await walk.press("down")
        chosen = hits.hit
        await walk.press("ctrl+s")
        await walk.until(lambda: "latest first" in told(walk))
        days = [hit.day for hit in hits.hits if hit.day is not None]
        assert days == sorted(days, reverse=True)
        assert hits.hit == chosen
        await walk.press("ctrl+s")
        assert names(hits) == before

    walking(app_of(vault), steps)


def test_nothing_found_says_so_and_what_to_try(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        await search(walk, "xqzw")
        await walk.until(
            lambda: screen(walk).found.count(HitKind.MEANING) or "Nothing has these words" in words(walk.app)
        )
        await walk.press("ctrl+u", *"kind:docx ")
        await found(walk, "kind:docx ")
        await walk.until(lambda: "No document passes the filters" in words(walk.app))

    walking(app_of(vault), steps)


def test_older_results_never_come_after_newer_ones(app_of: AppOf, vault: Path) -> None:
    """While the thread that reads is held back, keys go on, and only the last line is ever looked for."""
    seen: list[str] = []

    async def steps(walk: Walk) -> None:
        hits = await search(walk)
        await walk.until(lambda: hits.count == 4)
        asked = gate(walk.app, seen)
        await walk.press(*"porto")
        assert walk.one(Input).value == "porto", "typing waits for no search"
        asked.set()
        await found(walk, "porto")
        assert names(hits)[0] == "title Porto"
        assert seen == ["", "porto"], "what was listed, in order"

    walking(app_of(vault), steps)


def gate(app: NoderagApp, seen: list[str]) -> threading.Event:
    """Holds the thread that reads until the event is set, and notes each line whose hits are listed."""
    opened = threading.Event()
    app.run_worker(app.session.read(lambda _: opened.wait(SECONDS)))
    hits = app.screen.query_one(HitList)

    def note() -> None:
        assert isinstance(app.screen, SearchScreen)
        words = app.screen.found.line.words
        if not seen or seen[-1] != words:
            seen.append(words)

    note()
    hits.watch(hits, "cursor", note, init=False)
    app.screen.set_interval(0.005, note)
    return opened


def test_a_quick_enter_opens_what_the_typed_line_finds(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk)
        await walk.until(lambda: hits.count == 4)
        asked = gate(walk.app, [])
        await walk.press(*"ghent", "enter")
        assert walk.one(Input).has_focus, "the list of the empty line is not opened"
        asked.set()
        await walk.until(lambda: walk.one(NoteReader).has_focus_within)
        assert hits.hit is not None and hits.hit.name == "Ghent"

    walking(app_of(vault), steps)


def test_an_unfinished_line_is_there_when_one_comes_back(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, "folder:trips de")
        await walk.press("f3")
        await walk.until(lambda: walk.app.current_mode == "library")
        await walk.press("f7")
        await walk.until(lambda: isinstance(walk.app.screen, SearchScreen))
        assert walk.one(Input).value == "folder:trips de" and walk.one(Input).has_focus
        assert walk.one(HitList) is hits and hits.count
        await walk.press("escape")
        await walk.until(lambda: walk.app.current_mode == "library")

    walking(app_of(vault), steps)


def test_the_chat_is_asked_about_the_document(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, "ghent")
        assert hits.hit is not None
        path = hits.hit.path
        await walk.press("ctrl+a")
        await walk.until(lambda: walk.app.current_mode == "chat")
        chat = walk.app.screen
        assert isinstance(chat, ChatScreen)
        assert chat.choices.scope.folder == path
        assert walk.one(QuestionBox).has_focus and not walk.one(QuestionBox).text

    walking(app_of(vault, ScriptedEngine()), steps)


def test_the_chat_is_asked_about_a_name_and_keeps_what_is_written_there(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        await search(walk, "marta")
        await walk.press("ctrl+a")
        await walk.until(lambda: walk.app.current_mode == "chat")
        assert walk.one(QuestionBox).text == "What do my notes say about Marta Oliveira?"
        walk.one(QuestionBox).put("My own question")
        await walk.press("f7", "ctrl+a")
        await walk.until(lambda: walk.app.current_mode == "chat")
        assert walk.one(QuestionBox).text == "My own question"

    walking(app_of(vault, ScriptedEngine()), steps)


def test_a_conversation_is_found_by_its_name_and_opened(app_of: AppOf, vault: Path) -> None:
    Conversations(vault).add(None, TURN)

    async def steps(walk: Walk) -> None:
        hits = await search(walk, "recommended the hotel")
        assert names(hits)[0].startswith("talk Who recommended the hotel")
        await walk.until(lambda: "Marta recommended it." in shown(walk.app))
        await walk.press("enter")
        await walk.until(lambda: walk.app.current_mode == "chat")
        await walk.until(lambda: "Marta recommended it." in shown(walk.app))

    walking(app_of(vault, ScriptedEngine()), steps, WIDE)


def test_the_passage_is_copied_and_for_a_document_its_path(app_of: AppOf, vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, "deposit 940")
        await walk.press("ctrl+y")
        assert walk.app.clipboard == "The deposit is 940 euros."
        await walk.press("ctrl+u", *"kind:txt ")
        await found(walk, "kind:txt ")
        assert hits.hit is not None
        await walk.press("ctrl+y")
        assert walk.app.clipboard == hits.hit.path

    walking(app_of(vault), steps)


def test_with_no_vault_it_says_what_to_do(app_of: AppOf, tmp_path: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.press("f7")
        await walk.until(lambda: "Nothing was indexed yet" in shown(walk.app))

    walking(app_of(tmp_path / "none"), steps)


def test_notes_that_change_are_found_and_the_cursor_stays(app_of: AppOf, vault: Path, tmp_path: Path) -> None:
    async def steps(walk: Walk) -> None:
        hits = await search(walk, "deposit")
        await walk.press("down")
        chosen = hits.hit
        (tmp_path / "notes" / "new.md").write_text("# Deposit slip\n\nIt is in the drawer.\n", encoding="utf-8")
        await walk.app.session.write(lambda vault: vault.index([tmp_path / "notes"]))
        walk.app.note_changes.publish(None)
        await walk.until(lambda: "title Deposit slip" in names(hits))
        assert hits.hit == chosen

    walking(app_of(vault), steps)


@pytest.mark.parametrize("size", [(60, 16), NARROW, WIDE, (200, 60)])
def test_hostile_names_and_texts_are_shown_as_text(app_of: AppOf, tmp_path: Path, size: tuple[int, int]) -> None:
    notes = tmp_path / "hostile"
    notes.mkdir()
    for place, payload in enumerate(HOSTILE):
        text = f"# Weird {payload}\n\nMarta weird {payload} Oliveira [bold]x[/bold].\n"
        (notes / f"{place} weird {payload.replace('/', '∕')}.md").write_text(text, encoding="utf-8")
    folder = indexed(notes, tmp_path / "hostile-vault")

    async def steps(walk: Walk) -> None:
        hits = await search(walk, "weird")
        assert hits.count >= len(HOSTILE)
        for _ in range(hits.count):
            await walk.press("down")
            assert raw_controls(walk.app) == set()
        await walk.press("enter")
        await walk.until(lambda: walk.one(NoteReader).note is not None or walk.one(NodePage).option_count)
        assert raw_controls(walk.app) == set()
        await walk.press("ctrl+y", "escape", "ctrl+a")
        await walk.until(lambda: walk.app.current_mode == "chat")
        assert raw_controls(walk.app) == set()

    walking(app_of(folder, ScriptedEngine()), steps, size)
