"""Why an answer is what it is: the way to it, drawn and as a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from interfaces.tui.key_navigation import NARROW, WIDE, Walk, walking
from interfaces.tui.screen_text import lines, raw_controls, shown
from textual.widgets import OptionList

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Ranked, Retrieval, Source
from noderag_local.interfaces.tui.chat.answers.subgraph_drawing import Subgraph
from noderag_local.interfaces.tui.chat.answers.why_dialog import WhyDialog
from noderag_local.interfaces.tui.explore.explore_screen import ExploreScreen
from noderag_local.interfaces.tui.reader.node_page import NodePage
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows

AppOf = Callable[..., NoderagApp]
QUESTION = "Where is Borealis?"


def found_in(folder: Path) -> Retrieval:
    """The sentences that name Borealis, as a search that began with it would give them."""
    with Store.open(folder, write=False) as store:
        borealis = GraphRows(store).find(NodeType.ENTITY, ["borealis"])["borealis"]
        ids = Overview(store).sentences_naming([borealis])
        passages = TextRows(store).passages(ids)
    numbered = tuple(replace(source, number=number) for number, source in enumerate(passages, 1))
    ranked = tuple(Ranked(node, NodeType.SENTENCE, number, 1.0, (("walk", 0.9),)) for number, node in enumerate(ids, 1))
    return Retrieval("noderag", QUESTION, 1000, "", 10, numbered, ranked, (("Borealis", 0.5),), 1.0)


async def ask_why(walk: Walk) -> Subgraph:
    """The dialog, when the way is drawn."""
    walk.app.push_screen(WhyDialog(found_in(walk.app.session.folder)))
    await walk.until(lambda: isinstance(walk.app.screen, WhyDialog) and walk.app.screen.query(OptionList))
    await walk.until(lambda: walk.one(OptionList).option_count)
    return walk.one(Subgraph)


def highlighted(walk: Walk) -> str:
    """The line of the list under the cursor."""
    option = walk.one(OptionList).highlighted_option
    return str(option.prompt) if option else ""


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_way_is_drawn_and_told_as_a_list(app_of: AppOf, vault_folder: Path, size: tuple[int, int]) -> None:
    async def steps(walk: Walk) -> None:
        await ask_why(walk)
        await walk.pilot.pause()
        seed, *chosen = (
            next(line.index(text) for line in lines(walk.app) if text in line)
            for text in ("▸ N Borealis", "▸ X ", "▸ [1]")
        )
        assert [seed, *chosen] == sorted([seed, *chosen]), "from left to right"
        assert QUESTION in shown(walk.app) and "Where the search began" in shown(walk.app)
        told = "\n".join(str(option.prompt) for option in walk.one(OptionList).options)
        assert "← Borealis (named in)" in told and "Where it stands" in told

    walking(app_of(vault_folder), steps, size)


def test_the_arrow_keys_walk_along_the_way_and_the_list_follows(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        graph = await ask_why(walk)
        await walk.until(lambda: "N Borealis" in highlighted(walk))
        await walk.press("right")
        await walk.until(lambda: " X " in highlighted(walk))
        await walk.press("left", "left")
        assert graph.selected == 0, "the question"
        await walk.press("left", "up")
        assert graph.selected == 0, "there is nothing beyond it"

    walking(app_of(vault_folder), steps, WIDE)


def test_the_list_moves_the_drawing_as_well(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        graph = await ask_why(walk)
        await walk.press("tab", "end")
        await walk.until(lambda: walk.one(OptionList).has_focus)
        await walk.until(lambda: graph.selected > 2)

    walking(app_of(vault_folder), steps, WIDE)


def test_an_entity_opens_in_explore(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        await ask_why(walk)
        await walk.press("enter")
        await walk.until(lambda: isinstance(walk.app.screen, ExploreScreen))
        found = walk.one(NodePage)
        await walk.until(lambda: found.option_count)
        assert str(found.options[0].prompt).startswith("Borealis")
        assert "Borealis  named in" in shown(walk.app)

    walking(app_of(vault_folder), steps)


def test_a_sentence_opens_in_its_document(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        await ask_why(walk)
        await walk.press("right", "enter")
        await walk.until(lambda: isinstance(walk.app.screen, ExploreScreen))
        assert "Borealis" in (await walk.source()).text
        await walk.until(lambda: "Borealis" in shown(walk.app))

    walking(app_of(vault_folder), steps)


def test_escape_closes_it(app_of: AppOf, vault_folder: Path) -> None:
    async def steps(walk: Walk) -> None:
        await ask_why(walk)
        await walk.press("escape")
        await walk.until(lambda: not isinstance(walk.app.screen, WhyDialog))

    walking(app_of(vault_folder), steps)


@pytest.mark.parametrize("size", [WIDE, NARROW, (40, 12)])
def test_hostile_names_and_nodes_that_are_gone(app_of: AppOf, vault_folder: Path, size: tuple[int, int]) -> None:
    name = "[bold]\x1b]0;owned\x07\u202e[/] 餃子" + "x" * 10_000
    source = Source(1, f"/notes/{name}.md", 0, name, (name,), 1, 1, 0, 1, name)
    gone = Ranked(10**6, NodeType.SENTENCE, 1, 1.0, ((name, 1.0),))
    retrieval = Retrieval("noderag", name, 100, "", 1, (source,), (gone,), ((name, 1.0),), 1.0)

    async def steps(walk: Walk) -> None:
        walk.app.push_screen(WhyDialog(retrieval))
        await walk.until(lambda: "the 1 nodes" in shown(walk.app) or "noderag chose" in shown(walk.app))
        await walk.press("right", "tab", "down")
        assert raw_controls(walk.app) == set()

    walking(app_of(vault_folder), steps, size)
