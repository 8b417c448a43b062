"""Every screen and dialog as a person comes to it by keys, over the home folder of `pictured_notes`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator
from typing import NamedTuple, cast

from interfaces.tui.pictured_notes import FOLLOW_UP, QUESTION
from interfaces.tui.screen_text import words
from interfaces.tui.waiting import SECONDS, until
from textual.pilot import Pilot

from noderag_local.domain.stream import Stream
from noderag_local.interfaces.tui.jobs.jobs import Control, JobKind
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.models.llm.engine import Completion, Request, never
from noderag_local.models.llm.scripted import ScriptedEngine

Size = tuple[int, int]
NARROW, WIDE = (80, 24), (140, 45)
FIRST_WORDS = "It was Marta who recommended the"


class Scene(NamedTuple):
    """Something to take pictures of."""

    come_to: Callable[[Pilot[None]], Awaitable[None]]
    first: Size = WIDE
    """Of the terminal while it is come to: what is opened in a wide one may be covered in a narrow one."""
    vault: str = "vault"
    """Folder of the vault below the home folder."""
    follows_theme: bool = True
    """Whether it changes with the theme while it is shown; Textual's own palette does not."""


class Pausing(ScriptedEngine):
    """Says its first words, and the others when it is let go on."""

    def __init__(self) -> None:
        super().__init__(f"{FIRST_WORDS} Pensão Favorita.")
        self.may_go_on = threading.Event()

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        whole = super().stream(request, cancelled)

        def haltingly() -> Generator[str, None, Completion]:
            said = ""
            for piece in whole:
                if len(said) >= len(FIRST_WORDS):
                    self.may_go_on.wait(SECONDS)
                said += piece
                yield piece
            return whole.result

        return Stream(haltingly())


def _app(pilot: Pilot[None]) -> NoderagApp:
    return cast(NoderagApp, pilot.app)


async def _see(pilot: Pilot[None], *texts: str) -> None:
    await until(pilot, lambda: all(text in words(pilot.app) for text in texts))


async def _begin_job(pilot: Pilot[None], kind: JobKind, line: str, done: int, total: int) -> None:
    """A job that stands still until it is stopped."""

    async def stand_still(control: Control) -> str:
        control.progress(line, done, total)
        while not control.cancelled():
            await asyncio.sleep(0.05)
        return "Stopped."

    pilot.app.run_worker(_app(pilot).jobs.run(kind, stand_still))
    await until(pilot, lambda: _app(pilot).jobs.job)


async def chat(pilot: Pilot[None]) -> None:
    await _see(pilot, "Ask your notes anything", "What do my notes say")


async def commands(pilot: Pilot[None]) -> None:
    await chat(pilot)
    await pilot.press("slash")
    await _see(pilot, "how passages are searched for")


async def waiting(pilot: Pilot[None]) -> None:
    await chat(pilot)
    await pilot.press(*("space" if letter == " " else letter for letter in QUESTION), "enter")
    # The last word is held back until the next one shows that it is no address.
    await _see(pilot, FIRST_WORDS.rpartition(" ")[0])


async def conversations(pilot: Pilot[None]) -> None:
    await chat(pilot)
    await pilot.press("ctrl+t")
    await _see(pilot, QUESTION, FOLLOW_UP)


async def answered(pilot: Pilot[None]) -> None:
    await conversations(pilot)
    await pilot.press("enter")
    await _see(pilot, "made of cheese")


async def source(pilot: Pilot[None]) -> None:
    await answered(pilot)
    await pilot.press("tab", "enter")
    await _see(pilot, "They shared a desk")


async def why(pilot: Pilot[None]) -> None:
    await answered(pilot)
    await pilot.press("ctrl+g")
    await _see(pilot, "Where the search began")


async def naming(pilot: Pilot[None]) -> None:
    await conversations(pilot)
    await pilot.press("ctrl+r")
    await _see(pilot, "Name of this conversation")


async def confirm(pilot: Pilot[None]) -> None:
    await conversations(pilot)
    await pilot.press("ctrl+d")
    await _see(pilot, "for good?")


async def scope(pilot: Pilot[None]) -> None:
    await chat(pilot)
    await pilot.press("slash", *"scope", "enter")
    await _see(pilot, "Search only in", "household")


async def help_keys(pilot: Pilot[None]) -> None:
    await chat(pilot)
    await pilot.press("f1")
    await _see(pilot, "Ask a question.", "^t")


async def palette(pilot: Pilot[None]) -> None:
    await library(pilot)
    await pilot.press("ctrl+p")
    await _see(pilot, "Go to Library")


async def library(pilot: Pilot[None]) -> None:
    await pilot.press("f3")
    await _see(pilot, "東京の家の契約と鍵について", "Ready to be asked")
    # The first one could not be read, and why tells its path.
    await pilot.press("down")


async def library_job(pilot: Pilot[None]) -> None:
    await library(pilot)
    await _begin_job(
        pilot, JobKind.INDEX, "embedding (3 of 4) 1,200 of 2,800 sentences · 290/s · 6 s left", 1_200, 2_800
    )
    await _see(pilot, "1,200 of 2,800")


async def leaving(pilot: Pilot[None]) -> None:
    await library_job(pilot)
    await pilot.press("ctrl+q")
    await _see(pilot, "Stop it and leave?")


async def budget(pilot: Pilot[None]) -> None:
    await library(pilot)
    await pilot.press("n")
    await _see(pilot, "To do:")


async def adding(pilot: Pilot[None]) -> None:
    await library(pilot)
    await pilot.press("a")
    await _see(pilot, "Which folder or file is to be read?")
    await pilot.press("ctrl+u", *"~/notes", "enter")
    await _see(pilot, "Enter begins")


async def entities(pilot: Pilot[None]) -> None:
    await pilot.press("f4")
    await _see(pilot, "Marta Oliveira", "Jonas Brandt", "named in")


async def entity_page(pilot: Pilot[None]) -> None:
    await entities(pilot)
    await pilot.press(*"jonas", "enter")
    await _see(pilot, "repaired the bicycle")


async def themes(pilot: Pilot[None]) -> None:
    await entities(pilot)
    await pilot.press("2")
    await _see(pilot, "Friends from Ghent")
    await pilot.press("enter")
    await _see(pilot, "met at a school")


async def timeline(pilot: Pilot[None]) -> None:
    await entities(pilot)
    await pilot.press("3")
    await _see(pilot, "2014-06-16", "2026-04-12", "Mietvertrag.md · line 3")


async def searched(pilot: Pilot[None]) -> None:
    await pilot.press("f7")
    await _see(pilot, "documents · last changed first")
    await pilot.press(*"marta")
    await _see(pilot, "by meaning:", "title", "text")
    await until(pilot, lambda: "coming" not in words(pilot.app))


async def search_filter(pilot: Pilot[None]) -> None:
    await pilot.press("f7")
    await _see(pilot, "documents · last changed first")
    await pilot.press(*"porto", "space", *"folder:")
    await _see(pilot, "tab: notes", "by meaning:")
    await until(pilot, lambda: "coming" not in words(pilot.app))


async def today(pilot: Pilot[None]) -> None:
    await pilot.press("f8")
    await _see(pilot, "Open tasks", "3 days late", "Changed lately")


async def models(pilot: Pilot[None]) -> None:
    await pilot.press("f5")
    await _see(pilot, "kitchen-model-0.6b", "damaged")
    await pilot.press("end", "up")
    await _see(pilot, "A file of yours")


async def model_file(pilot: Pilot[None]) -> None:
    await models(pilot)
    await pilot.press("a")
    await _see(pilot, "Which GGUF file?")
    await pilot.press(*"~/models/")
    await _see(pilot, "torn.gguf")


async def settings(pilot: Pilot[None]) -> None:
    await pilot.press("f6")
    await _see(pilot, "Context tokens")


async def setting_edited(pilot: Pilot[None]) -> None:
    await settings(pilot)
    await pilot.press("down", "enter", "end", *"x", "enter")
    await _see(pilot, "whole number")


async def welcome(pilot: Pilot[None]) -> None:
    await _see(pilot, "Which folder holds your notes?")
    await pilot.press("ctrl+u", *"~/notes/")
    await _see(pilot, "household")


SCENES = {
    "chat": Scene(chat),
    "chat-answered": Scene(answered),
    "chat-source": Scene(source, first=NARROW),
    "chat-waiting": Scene(waiting),
    "chat-commands": Scene(commands),
    "library": Scene(library),
    "library-job": Scene(library_job),
    "explore-entities": Scene(entities),
    "explore-entity": Scene(entity_page),
    "explore-themes": Scene(themes),
    "explore-timeline": Scene(timeline),
    "search": Scene(searched),
    "search-filter": Scene(search_filter),
    "today": Scene(today, vault="day"),
    "models": Scene(models),
    "settings": Scene(settings),
    "settings-wrong": Scene(setting_edited),
    "welcome": Scene(welcome, vault="none"),
    "adding": Scene(adding),
    "budget": Scene(budget),
    "confirm": Scene(confirm),
    "conversations": Scene(conversations),
    "help": Scene(help_keys),
    "leaving": Scene(leaving),
    "model-file": Scene(model_file),
    "naming": Scene(naming),
    "palette": Scene(palette, follows_theme=False),
    "scope": Scene(scope),
    "why": Scene(why),
}
