"""Every screen over a folder of hostile notes: nothing of them acts on the terminal or the program, and nothing fails."""

from __future__ import annotations

import os
import random
import re
import select
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile.hidden import hidden_on_screen
from hostile.hostile_notes import LONG, MARKUP, SHORT, write_hostile_notes
from hostile.screens import app_over
from interfaces.tui.screen_text import lines
from interfaces.tui.waiting import run, until
from textual.pilot import Pilot

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.vault import Vault

SCREENS = {"f2": "chat", "f3": "library", "f4": "explore", "f5": "models", "f6": "settings"}
ROUNDS = {
    "library": "down enter down down enter escape escape down end enter enter escape escape home d escape n escape e escape",
    "explore": "down enter down down enter backspace m escape 2 down enter down enter 3 down down enter down enter",
    "models": "down end home c",
    "settings": "down down enter escape",
    "chat": "ctrl+t down escape ctrl+g down down escape ctrl+s escape tab down enter escape",
}


@pytest.fixture(scope="module")
def hostile_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notes, indexed, with models of hostile names beside them."""
    folder = tmp_path_factory.mktemp("hostile")
    files = write_hostile_notes(folder / "notes")
    with Vault(folder / "vault", load_settings(models_dir=folder / "none")) as vault:
        assert vault.index([folder / "notes"]).added >= files - 1
    (folder / "vault" / "models").mkdir()
    for name in ("title", "action", "hidden"):
        path = ({**SHORT}[name]).replace("/", "∕")[:40]
        (folder / "vault" / "models" / f"{name} {path}.gguf").write_bytes(b"GGUF no model")
    return folder / "vault"


@pytest.fixture
def vault(hostile_vault: Path, tmp_path: Path) -> Path:
    shutil.copytree(hostile_vault, tmp_path / "vault")
    return tmp_path / "vault"


def untouched(app: NoderagApp) -> None:
    """Nothing that a note asked for has come to be."""
    told = lines(app)
    assert hidden_on_screen("\n".join(told).replace("\t", "�")) == set()
    assert not [line for line in told if "\n" in line or "\t" in line]
    assert app.is_running and app.return_code is None
    assert "owned" not in str(app.title) and app.clipboard == ""
    assert app.theme == "noderag-dark" or "dark" in app.theme


async def ask(app: NoderagApp, pilot: Pilot[None], question: str) -> None:
    await pilot.press(*("space" if letter == " " else letter for letter in question), "enter")
    chat = app.screen
    assert isinstance(chat, ChatScreen)
    await until(pilot, lambda: chat.conversation.current and chat.conversation.current.answered)
    await pilot.pause(0.3)


@pytest.mark.parametrize("size", [(120, 40), (40, 12)], ids=str)
def test_every_screen_and_dialog_shows_them_as_text(vault: Path, size: tuple[int, int]) -> None:
    said = "\n\n".join(f"Marta {payload} met Jonas [1]." for payload in (*SHORT.values(), *LONG.values()))
    engine = ScriptedEngine(f"{said}\n\nthe end of it")

    async def go() -> None:
        with app_over(vault, engine, models_dir=vault / "models", answer_tokens=200_000) as app:
            async with app.run_test(size=size, notifications=True) as pilot:
                await until(pilot, lambda: app.current_mode == "chat")
                await ask(app, pilot, "who did marta meet")
                for key, mode in SCREENS.items():
                    await pilot.press(key)
                    await until(pilot, lambda mode=mode: app.current_mode == mode)  # type: ignore[misc]
                    await pilot.pause(0.3)
                    untouched(app)
                    for pressed in ROUNDS[mode].split():
                        await pilot.press(pressed)
                        await pilot.pause(0.05)
                        untouched(app)
                    while len(app.screen_stack) > 1:
                        await pilot.press("escape")
                await pilot.press("f1")
                await pilot.pause(0.1)
                untouched(app)
                await pilot.press("escape", "ctrl+p")
                await pilot.pause(0.2)
                untouched(app)

    run(go)


def test_a_click_on_what_looks_like_an_action_of_the_program_does_nothing(vault: Path) -> None:
    engine = ScriptedEngine(" ".join(MARKUP.values()) + " the end of it")

    async def go() -> None:
        with app_over(vault, engine) as app:
            async with app.run_test(size=(120, 60)) as pilot:
                await until(pilot, lambda: app.current_mode == "chat")
                await ask(app, pilot, "who did marta meet")
                for key, mode in SCREENS.items():
                    await pilot.press(key)
                    await until(pilot, lambda mode=mode: app.current_mode == mode)  # type: ignore[misc]
                    await pilot.pause(0.3)
                    for y, line in enumerate(lines(app)):
                        if "@click" in line or "link=" in line:
                            x = line.index("press") if "press" in line else line.index("=") + 1
                            await pilot.click(offset=(min(x, 110), y))
                            await pilot.pause(0.05)
                            untouched(app)

    run(go)


def test_no_order_of_keys_makes_a_note_act_or_the_program_fail(vault: Path) -> None:
    keys = ["f2", "f3", "f4", "f5", "f6", "down", "up", "enter", "escape", "tab", "pagedown", "home", "end", "1", "2", "3", "backspace",
            "ctrl+t", "ctrl+g", "e", "slash", "a"]  # fmt: skip
    chance = random.Random(14)

    async def go() -> None:
        with app_over(vault, models_dir=vault / "models") as app:
            async with app.run_test(size=(100, 30)) as pilot:
                await until(pilot, lambda: app.current_mode == "chat")
                for _ in range(25):
                    key = chance.choice(keys)
                    if key == "e" and app.current_mode == "library":
                        continue  # an editor would take the terminal
                    await pilot.press(key)
                    untouched(app)

    run(go)


class Terminal:
    """The program in a terminal of its own; keeps every byte that it writes there."""

    def __init__(self, vault: Path, columns: int, rows: int) -> None:
        import fcntl
        import pty
        import struct
        import termios

        variables = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "NODERAG_MODELS_DIR": str(vault / "none"),
                     "NODERAG_FOLLOW_FOLDERS": "false"}  # fmt: skip
        self._process, self._descriptor = pty.fork()
        if self._process == 0:
            os.execve(sys.executable, [sys.executable, "-m", "noderag_local", "ui", "--vault", str(vault)], variables)
        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.written = b""

    def read(self, until: bytes = b"", seconds: float = 300.0) -> None:
        """Reads until some letters have come, or, for none, for as long as it takes."""
        last, before = time.monotonic() + seconds, len(self.written)
        while time.monotonic() < last:
            if select.select([self._descriptor], [], [], 0.1)[0]:
                try:
                    self.written += os.read(self._descriptor, 1 << 16)
                except OSError:
                    return
            if until and until in self.written[before:]:
                return

    def press(self, keys: bytes) -> None:
        os.write(self._descriptor, keys)
        self.read(seconds=0.7)

    def end(self) -> int:
        """Leaves the program; its exit code."""
        os.write(self._descriptor, b"\x11")
        self.read(seconds=300)
        code = os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])
        os.close(self._descriptor)
        return code


@pytest.fixture
def terminal(vault: Path) -> Iterator[Terminal]:
    yield Terminal(vault, 120, 40)


@pytest.mark.skipif(sys.platform != "linux", reason="a terminal of Linux")
def test_a_terminal_is_told_nothing_but_what_the_program_draws(terminal: Terminal) -> None:
    terminal.read(until=b"Ask your notes")
    terminal.press(b"who did marta meet in porto")
    terminal.press(b"\r")
    if b"Marta" not in terminal.written:
        terminal.read(until=b"Marta")
    for key in (b"\x1bOR", b"\x1b[B\r", b"\x1b[B\r", b"\x1b", b"\x1bOS", b"\x1b[B\r", b"2", b"3",
                b"\x1b[15~", b"\x1b[17~", b"\x1bOQ", b"\x14", b"\x1b"):  # fmt: skip
        terminal.press(key)
    assert terminal.end() == 0
    written = terminal.written
    assert b"Marta" in written
    # Of operating system commands the program itself sends the shape of the pointer; nothing was copied or named.
    commands = {command[:3] for command in re.findall(rb"\x1b\][^\x07\x1b]*", written)}
    assert (
        commands <= {b"\x1b]2", b"\x1b]1"}
        and b"\x1b]52" not in written
        and b"\x1b]0;" not in written
        and b"\x1b]8;" not in written
    )
    assert not re.search(rb"\x1b[P_^X]|\x1bc|\x05|\x1b\[6n.*\x1b\[>q", written)
    drawn = re.sub(
        rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[?>=<]?[0-9;:]*[ -/]*[@-~]|\x1b[=>()][0-9A-Z]?|[\r\n]", b"", written
    )
    assert hidden_on_screen(drawn.decode("utf-8", "replace")) == set()
