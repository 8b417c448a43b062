"""A vault of documents that would like to speak to the terminal: every screen shows them as text."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from interfaces.tui.screen_text import raw_controls, shown
from interfaces.tui.waiting import run, until
from textual.pilot import Pilot

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.vault import Vault

AppOf = Callable[..., NoderagApp]

ESCAPES = [
    "\x1b]0;owned\x07",  # the window's title
    "\x1b]52;c;b3duZWQ=\x07",  # the clipboard
    "\x1b]8;;file:///etc/passwd\x1b\\click\x1b]8;;\x1b\\",  # a link
    "\x1bP1$r0m\x1b\\",  # a device control string
    "\x1b[2J\x1b[H",  # an empty screen
    "\x1b[31mred",
    "\x1b]0;no end",
    "\x9b31m\x9d0;C1\x9c",
    "\x1b_application\x1b\\",
    "\x07\x08\x0b\x0c\x0e\x7f",
]
MARKUP = [
    "[bold]",
    "[/bold]",
    "[@click=app.quit]quit[/]",
    "[link=file:///etc/passwd]x[/link]",
    "[",
    "[/",
    "\\[",
    "[red",
]
DIRECTIONS = ["\u202egnp.exe\u202c", "\u2066\u2067\u2069", "\u200e\u200f\u061c"]
UNSEEN = ["zero\u200bwidth\u200d\u2060word", "\ufeffmark", "\U000e0041\U000e0042tag"]
LONG = ["x" * 10_000, "界" * 1_000, "e\u0301" * 1_000, "👩‍👩‍👧‍👦" * 100]
"""The embedding model takes each 界 for a token, so there are no more than a screen is wide many times over."""
SHORT = [*ESCAPES, *MARKUP, *DIRECTIONS, *UNSEEN]


def note(place: int, payload: str) -> str:
    """A note with the payload in its title, a heading, a tag, a name, a link, a table and its text."""
    return (
        f"---\ntitle: Note {place}\ntags: [weird]\n---\n"
        f"# Title {payload} {place}\n\n"
        f"Marta Oliveira {payload} met Jonas Brandt in Porto on 5 March 2026.\n\n"
        f"## Heading {payload}\n\nSee [[{payload}]] and [text {payload}](javascript:alert(1)). #tag{place}\n\n"
        f"| a | {payload} |\n|---|---|\n| b | c |\n\n`{payload}`\n\n{payload}\n"
    )


@pytest.fixture(scope="module")
def hostile_vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One note a payload, in the name of its file too, and one with a heading and a sentence of each endless word."""
    notes = tmp_path_factory.mktemp("hostile notes")
    for place, payload in enumerate(SHORT):
        (notes / f"{place} {payload.replace('/', '∕')}.md").write_text(note(place, payload), encoding="utf-8")
    for place, word in enumerate(LONG):
        (notes / f"long {place}.md").write_text(f"# {word}\n\nMarta Oliveira met Jonas {word}.\n", encoding="utf-8")
    folder = tmp_path_factory.mktemp("hostile") / "vault"
    with Vault(folder, load_settings(models_dir=folder / "no-models")) as vault:
        vault.index([notes])
    yield folder


async def ask(app: NoderagApp, pilot: Pilot[None], question: str) -> None:
    """Types a question and waits for the end of the answer."""
    for letter in question:
        await pilot.press("space" if letter == " " else letter)
    await pilot.press("enter")
    await until(pilot, lambda: "the end of it" in shown(app))


@pytest.mark.parametrize(
    ("key", "mode"),
    [("f2", "chat"), ("f3", "library"), ("f4", "explore"), ("f5", "models"), ("f6", "settings"), ("f7", "search")],
)
def test_every_screen_shows_them_as_text(app_of: AppOf, hostile_vault: Path, key: str, mode: str) -> None:
    async def go() -> None:
        app = app_of(hostile_vault, ScriptedEngine())
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press(key)
            await until(pilot, lambda: app.current_mode == mode)
            for view in "123" if mode == "explore" else "":
                await pilot.press(view)
                await pilot.pause(0.2)
                assert raw_controls(app) == set(), view
            for size, steps in (((80, 24), 12), ((200, 60), 6)):
                await pilot.resize_terminal(*size)
                for _ in range(steps):
                    await pilot.press("down")
                    assert raw_controls(app) == set(), size

    run(go)


@pytest.mark.parametrize("payloads", [ESCAPES + MARKUP, DIRECTIONS + UNSEEN + LONG[:2]], ids=["signs", "letters"])
def test_an_answer_shows_them_as_text(app_of: AppOf, hostile_vault: Path, payloads: list[str]) -> None:
    answer = " ".join(f"Marta {payload} met Jonas [1]." for payload in payloads) + "\n\nthe end of it"

    async def go() -> None:
        app = app_of(hostile_vault, ScriptedEngine(answer), answer_tokens=100_000)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: app.current_mode == "chat")
            await ask(app, pilot, "who met jonas")
            assert raw_controls(app) == set()
            for _ in range(8):
                await pilot.press("pageup")
                assert raw_controls(app) == set()

    run(go)


def test_foreign_text_never_fails_and_never_holds_a_control() -> None:
    pieces = [*SHORT, *map(chr, range(0x20)), "\ud800", "a", " ", "]", "\u2028"]
    chance = random.Random(4)
    for _ in range(10_000):
        text = "".join(chance.choices(pieces, k=chance.randrange(1, 12)))
        plain = safe_text(text).plain
        assert all(sign in "\n\t" or sign.isprintable() or ord(sign) > 0x7F for sign in plain)
        assert "\x1b" not in plain
        assert "\n" not in on_one_line(text).plain
