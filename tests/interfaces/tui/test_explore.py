"""Exploring, as a person does it: by keys, over a real vault."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.browsable_notes import put_theme, write_notes
from helpers.small_documents import add, document
from interfaces.tui.key_navigation import NARROW, WIDE, Walk, walking
from interfaces.tui.screen_text import lines, raw_controls, shown
from interfaces.tui.waiting import SECONDS
from textual.widgets import Input

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.interfaces.tui.explore.entity_list import EntityList
from noderag_local.interfaces.tui.explore.theme_list import ThemeList
from noderag_local.interfaces.tui.explore.timeline_list import TimelineList
from noderag_local.interfaces.tui.reader.node_page import NodePage
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shared.line_list import LineList
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows

AppOf = Callable[..., NoderagApp]
DOCUMENTS, NAMES, YEARS = 10_000, 99_000, range(1800, 2000)
ENTITIES = NAMES + len(YEARS)


@pytest.fixture
def walked(tmp_path: Path) -> Path:
    """A small vault with a theme; its files do not exist."""
    folder = tmp_path / "walked"
    with Store.open(folder, write=True) as store:
        write_notes(store)
        graph = GraphRows(store)
        porto = graph.find(NodeType.ENTITY, ["porto"])["porto"]
        put_theme(store, "porto", [porto], [("Life in Porto", "Marta moved there.")])
    return folder


def test_the_entity_under_the_cursor_has_its_page_beside_it(app_of: AppOf, walked: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.explore()
        await walk.until(lambda: "named in 3 sentences" in walk.page)
        assert "The school in Ghent closed in 2014." in walk.page
        await walk.press("down")
        await walk.until(lambda: walk.page.startswith("Jonas Brandt"))

    walking(app_of(walked), steps, WIDE)


def test_letters_search_at_once_and_enter_opens_what_is_found(app_of: AppOf, walked: Path) -> None:
    async def steps(walk: Walk) -> None:
        entities = await walk.explore()
        await walk.press(*"nowa")
        await walk.until(lambda: entities.count == 1)
        await walk.press("enter")
        await walk.until(lambda: walk.page.startswith("Tomasz Nowak"))
        assert walk.one(NoteReader).has_focus_within
        await walk.press("escape")
        assert entities.has_focus
        await walk.press("slash", "escape")
        assert entities.count > 1, "escape empties the search"

    walking(app_of(walked), steps)


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_letters_after_the_key_of_the_screen_replace_the_search_before(
    app_of: AppOf, walked: Path, size: tuple[int, int]
) -> None:
    async def steps(walk: Walk) -> None:
        entities = await walk.explore()
        await walk.press(*"nowa", "enter")
        await walk.until(lambda: walk.page.startswith("Tomasz Nowak"))
        await walk.press("f2", "f4", *"bran")
        assert walk.one(Input).value == "bran"
        await walk.press("enter")
        await walk.until(lambda: walk.page.startswith("Jonas Brandt"))
        await walk.press("escape", "slash", *"ghent")
        assert (walk.one(Input).value, entities.count) == ("ghent", 1)

    walking(app_of(walked), steps, size)


def test_walking_to_neighbours_and_back_along_the_way(app_of: AppOf, walked: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.explore()
        await walk.press("enter")
        await walk.until(lambda: walk.page.startswith("Ghent"))
        await walk.press("down", "enter")
        await walk.until(lambda: walk.page.startswith("Jonas Brandt"))
        assert any("Ghent › Jonas Brandt" in line for line in lines(walk.app))
        await walk.press("backspace")
        await walk.until(lambda: walk.page.startswith("Ghent"))
        assert walk.one(NodePage).highlighted is not None
        followed = walk.one(NodePage).highlighted_option
        assert followed is not None and "Jonas Brandt" in str(followed.prompt), "where it was left"
        await walk.press("backspace")
        assert walk.one(EntityList).has_focus

    walking(app_of(walked), steps, WIDE)


def test_a_mention_opens_its_source_and_escape_closes_it(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.explore()
        await walk.press(*"borealis", "enter")
        await walk.until(lambda: walk.page.startswith("Borealis"))
        await walk.press("end", "enter")
        assert "Borealis" in (await walk.source()).text
        await walk.until(lambda: "blue case, 4 TB" in shown(walk.app))
        await walk.press("escape")
        assert walk.one(NoteReader).has_focus_within

    walking(app_of(vault_folder), steps)


def test_themes_lead_to_their_entities(app_of: AppOf, walked: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.explore()
        await walk.press("2")
        themes = walk.one(ThemeList)
        await walk.until(lambda: themes.count == 1)
        await walk.press("enter")
        await walk.until(lambda: walk.page.startswith("Life in Porto"))
        assert "Marta moved there." in walk.page
        await walk.press("enter")
        await walk.until(lambda: walk.page.startswith("Porto"))

    walking(app_of(walked), steps, WIDE)


def test_without_the_model_s_work_the_themes_say_how_to_come_by_some(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.explore()
        await walk.press("2")
        await walk.until(lambda: "No themes yet" in shown(walk.app))

    walking(app_of(vault_folder), steps)


def test_the_timeline_is_in_order_and_a_typed_year_leads_to_it(app_of: AppOf, walked: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.explore()
        await walk.press("3")
        timeline = walk.one(TimelineList)
        await walk.until(lambda: timeline.source_of(2))
        dates = [line.split()[0] for line in lines(walk.app) if line.lstrip()[:2] == "20"]
        assert dates == ["2014", "2014-06-16", "2019"]
        await walk.press("slash", *"2019")
        await walk.until(lambda: timeline.cursor == 2)
        await walk.press("enter", "enter")
        assert (await walk.source()).text.endswith("moved to Porto in 2019.")
        await walk.press("escape")
        assert timeline.has_focus

    walking(app_of(walked), steps)


def test_a_line_of_the_timeline_that_is_read_late_still_gets_its_note_beside_it(app_of: AppOf, walked: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.explore()
        await walk.press("3")
        timeline, reader = walk.one(TimelineList), walk.one(NoteReader)
        await walk.until(lambda: reader.passage)
        may_go_on = threading.Event()
        held = asyncio.create_task(walk.app.session.read(lambda _: may_go_on.wait(SECONDS)))
        assert timeline.timeline is not None
        timeline.show(timeline.timeline)
        await walk.until(lambda: reader.passage is None)
        may_go_on.set()
        await held
        await walk.until(lambda: reader.passage)

    walking(app_of(walked), steps, WIDE)


def test_with_no_vault_it_says_what_to_do(app_of: AppOf, tmp_path: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.press("f4")
        await walk.until(lambda: "Nothing was indexed yet" in shown(walk.app))

    walking(app_of(tmp_path / "none"), steps)


def test_what_is_written_meanwhile_is_there_when_one_comes_back(app_of: AppOf, walked: Path) -> None:
    async def steps(walk: Walk) -> None:
        entities = await walk.explore()
        before = entities.count
        await walk.press("f6")
        with Store.open(walked, write=True) as store:
            GraphRows(store).put_nodes(NodeType.ENTITY, [("douro", "Douro")])
        await walk.press("f4")
        await walk.until(lambda: entities.count == before + 1)

    walking(app_of(walked), steps, WIDE)


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_hostile_names_and_sentences_are_shown_as_text(app_of: AppOf, tmp_path: Path, size: tuple[int, int]) -> None:
    folder, name = tmp_path / "hostile", "[bold]X[/] \x1b]0;owned\x07\u202e\u200b[@click=app.quit]y[/]"
    with Store.open(folder, write=True) as store:
        add(store, document("/notes/\x1b[31mred.md", [f"{name} in 2014 {'a' * 10_000}", f"{name} [/nonsense"]))
        nodes = GraphRows(store).put_nodes(NodeType.ENTITY, [("x", name), ("2014", "2014")]).tolist()
        first, second = TextRows(store).sentence_table().ids.tolist()
        GraphRows(store).add_edges(EdgeType.MENTION, [first, second, first], [nodes[0], nodes[0], nodes[1]], [1.0] * 3)
        put_theme(store, "hostile", nodes, [(name, name)])

    async def steps(walk: Walk) -> None:
        await walk.explore()
        for view in "123":
            await walk.press(view)
            seen = next(found for found in walk.app.screen.query(LineList) if found.display)
            await walk.until(lambda seen=seen: seen.count)
            for key in ("enter", "escape", "escape"):
                await walk.pilot.pause(0.1)
                assert raw_controls(walk.app) <= {"\u200b"}
                await walk.press(key)

    walking(app_of(folder), steps, size)


def test_a_hundred_thousand_entities_and_their_dates_are_all_there(app_of: AppOf, tmp_path: Path) -> None:
    folder = tmp_path / "large"
    write_many(folder)

    async def steps(walk: Walk) -> None:
        entities = await walk.explore()
        assert entities.count == ENTITIES
        await walk.press("end")
        assert entities.cursor == ENTITIES - 1
        walk.one(Input).value = "9999"
        await walk.until(lambda: entities.count == sum("9999" in str(number) for number in range(NAMES)))
        await walk.press("3")
        timeline = walk.one(TimelineList)
        await walk.until(lambda: timeline.count == DOCUMENTS)
        await walk.press("end")
        await walk.until(lambda: timeline.source_of(DOCUMENTS - 1))

    walking(app_of(folder), steps, WIDE)


def write_many(folder: Path) -> None:
    """Documents of a sentence each, nine names and a date in each; nothing of it is embedded."""
    with Store.open(folder, write=True) as store:
        add(
            store,
            *(
                document(f"/notes/{number // 100}.jsonl", [f"Sentence {number}."], record=number % 100)
                for number in range(DOCUMENTS)
            ),
        )
        sentences = TextRows(store).sentence_table().ids
        names = [(f"name {number}", f"Name {number}") for number in range(NAMES)]
        dates = [(f"{year}", f"{year}") for year in YEARS]
        graph = GraphRows(store)
        named = graph.put_nodes(NodeType.ENTITY, names)
        dated = graph.put_nodes(NodeType.ENTITY, dates)
        graph.add_edges(EdgeType.MENTION, np.resize(sentences, len(named)), named, np.ones(len(named)))
        graph.add_edges(EdgeType.MENTION, sentences, np.resize(dated, len(sentences)), np.ones(len(sentences)))
