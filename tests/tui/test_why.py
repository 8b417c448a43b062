"""Why an answer is what it is: the way to it, drawn and as a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList
from tui.looking import lines, raw_controls, shown
from tui.waiting import run, until

from noderag_local.atlas.sources import sources
from noderag_local.records import NodeType, Ranked, Retrieval, Source
from noderag_local.store.database import Store
from noderag_local.store.graph import GraphRows
from noderag_local.store.overview import Overview
from noderag_local.store.texts import TextRows
from noderag_local.tui.app import NoderagApp
from noderag_local.tui.dialogs.why import WhyDialog
from noderag_local.tui.screens.explore import ExploreScreen
from noderag_local.tui.widgets.node_page import NodePage
from noderag_local.tui.widgets.source_panel import SourcePanel
from noderag_local.tui.widgets.subgraph import Subgraph

AppOf = Callable[..., NoderagApp]
WIDE, NARROW = (120, 40), (80, 24)
QUESTION = "Where is Borealis?"


def found_in(folder: Path) -> Retrieval:
    """The sentences that name Borealis, as a search that began with it would give them."""
    with Store.open(folder, write=False) as store:
        borealis = GraphRows(store).find(NodeType.ENTITY, ["borealis"])["borealis"]
        ids = Overview(store).sentences_naming(borealis)
        passages = sources(TextRows(store).passages(ids))
    numbered = tuple(replace(source, number=number) for number, source in enumerate(passages, 1))
    ranked = tuple(Ranked(node, NodeType.SENTENCE, number, 1.0, (("walk", 0.9),)) for number, node in enumerate(ids, 1))
    return Retrieval("noderag", QUESTION, 1000, "", 10, numbered, ranked, (("Borealis", 0.5),), 1.0)


async def ask_why(app: NoderagApp, pilot: Pilot[None]) -> Subgraph:
    """The dialog, when the way is drawn."""
    app.push_screen(WhyDialog(found_in(app.desk.folder)))
    await until(pilot, lambda: isinstance(app.screen, WhyDialog) and app.screen.query(OptionList))
    await until(pilot, lambda: app.screen.query_one(OptionList).option_count)
    return app.screen.query_one(Subgraph)


def highlighted(app: NoderagApp) -> str:
    """The line of the list under the cursor."""
    option = app.screen.query_one(OptionList).highlighted_option
    return str(option.prompt) if option else ""


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_way_is_drawn_and_told_as_a_list(app_of: AppOf, vault_folder: Path, size: tuple[int, int]) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=size) as pilot:
            await ask_why(app, pilot)
            await pilot.pause()
            seed, *chosen = (
                next(line.index(text) for line in lines(app) if text in line)
                for text in ("▸ N Borealis", "▸ X ", "▸ [1]")
            )
            assert [seed, *chosen] == sorted([seed, *chosen]), "from left to right"
            assert QUESTION in shown(app) and "Where the search began" in shown(app)
            told = "\n".join(str(option.prompt) for option in app.screen.query_one(OptionList).options)
            assert "← Borealis (named in)" in told and "Where it stands" in told

    run(test)


def test_the_arrow_keys_walk_along_the_way_and_the_list_follows(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=WIDE) as pilot:
            graph = await ask_why(app, pilot)
            await until(pilot, lambda: "N Borealis" in highlighted(app))
            await pilot.press("right")
            await until(pilot, lambda: " X " in highlighted(app))
            await pilot.press("left", "left")
            assert graph.selected == 0, "the question"
            await pilot.press("left", "up")
            assert graph.selected == 0, "there is nothing beyond it"

    run(test)


def test_the_list_moves_the_drawing_as_well(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=WIDE) as pilot:
            graph = await ask_why(app, pilot)
            await pilot.press("tab", "end")
            await until(pilot, lambda: app.screen.query_one(OptionList).has_focus)
            await until(pilot, lambda: graph.selected > 2)

    run(test)


def test_an_entity_opens_in_explore(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=NARROW) as pilot:
            await ask_why(app, pilot)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ExploreScreen))
            found = app.screen.query_one(NodePage)
            await until(pilot, lambda: found.option_count)
            assert str(found.options[0].prompt).startswith("Borealis")
            assert "Borealis  named in" in shown(app)

    run(test)


def test_a_sentence_opens_in_its_document(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=NARROW) as pilot:
            await ask_why(app, pilot)
            await pilot.press("right", "enter")
            await until(pilot, lambda: isinstance(app.screen, ExploreScreen))
            panel = app.screen.query_one(SourcePanel)
            await until(pilot, lambda: panel.source is not None)
            await until(pilot, lambda: "Borealis" in shown(app))

    run(test)


def test_escape_closes_it(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=NARROW) as pilot:
            await ask_why(app, pilot)
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, WhyDialog))

    run(test)


@pytest.mark.parametrize("size", [WIDE, NARROW, (40, 12)])
def test_hostile_names_and_nodes_that_are_gone(app_of: AppOf, vault_folder: Path, size: tuple[int, int]) -> None:
    name = "[bold]\x1b]0;owned\x07\u202e[/] 餃子" + "x" * 10_000
    source = Source(1, f"/notes/{name}.md", 0, name, (name,), 1, 1, 0, 1, name)
    gone = Ranked(10**6, NodeType.SENTENCE, 1, 1.0, ((name, 1.0),))
    retrieval = Retrieval("noderag", name, 100, "", 1, (source,), (gone,), ((name, 1.0),), 1.0)

    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=size) as pilot:
            app.push_screen(WhyDialog(retrieval))
            await until(pilot, lambda: "the 1 nodes" in shown(app) or "noderag chose" in shown(app))
            await pilot.press("right", "tab", "down")
            assert raw_controls(app) == set()

    run(test)
