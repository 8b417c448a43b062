"""Where random walks are taken: a vault of hostile notes that every walk finds as it was, and a talkative language model."""

from __future__ import annotations

import itertools
import os
import shutil
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from helpers.conversation_turns import TURN
from hostile.hostile_notes import LETTERS, LONG, MARKUP, SHORT, write_hostile_notes
from hostile.screens import app_over

from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelError
from noderag_local.domain.stream import Stream
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.models.llm.engine import Completion, Request, never
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.vault import Vault

VAULTS = ("hostile", "none", "empty")
"""Hostile notes; no vault yet, so that the program welcomes; a vault of an empty folder."""
PIECE_SECONDS = 0.002
"""Seconds between two pieces of an answer, so that keys come while it is written."""
ANSWERS = (
    "Marta Oliveira met Jonas Brandt in Porto [1]. She rang him [2][9].",
    "\n\n".join(f"Marta {payload} met Jonas [1]." for payload in SHORT.values()),
    "\n\n".join([*LONG.values(), "| a | b [2] |\n|---|---|\n| c | d |"]),
    "",
)


class Talkative(ScriptedEngine):
    """Gives one of `ANSWERS` after the other, and now and then fails."""

    def __init__(self) -> None:
        turns = itertools.cycle((*ANSWERS, ModelError(f"The model gave up: {MARKUP['action']}")))
        super().__init__(reply=lambda _: next(turns))

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        whole = super().stream(request, cancelled)

        def slowly() -> Generator[str, None, Completion]:
            for number, piece in enumerate(whole):
                if number < 100:
                    time.sleep(PIECE_SECONDS)
                yield piece
            return whole.result

        return Stream(slowly())


class WalkGround:
    """A scratch folder with notes, vaults and a home folder; `fresh` puts everything back as it was."""

    def __init__(self, scratch: Path, *, big: bool = True) -> None:
        """Writes and indexes the notes; without `big` those that take seconds are left out."""
        self.scratch, self.kept = scratch, scratch / "kept"
        self.home = scratch / "home"
        self.notes = self.home / "notes"
        self.kept.mkdir(parents=True)
        write_hostile_notes(self.notes)
        (self.notes / "empty.md").write_bytes(b"")
        (self.notes / "blank.md").write_text(" \n\n\t\n")
        if big:
            (self.notes / "ten megabytes.md").write_text("x" * 10_000_000)
            (self.notes / "many words.md").write_text(f"# Many\n\n{'Marta Oliveira met [bold]Jonas. ' * 600}\n")
        (self.notes / "gone.md").write_text("# Gone\n\nMarta Oliveira met Jonas Brandt where nothing is left.\n")
        (self.notes / "picture.pdf").write_bytes(b"%PDF-1.4\n%%EOF")
        (self.scratch / "empty folder").mkdir()
        settings = load_settings(models_dir=self.kept / "hostile" / "models")
        with Vault(self.kept / "hostile", settings) as vault:
            vault.index([self.notes])
            for payload in (*MARKUP.values(), *LETTERS.values()):
                vault.conversations.add(None, replace(TURN, question=f"Who met {payload}?", answer=f"{payload} [1]."))
        with Vault(self.kept / "empty", settings) as vault:
            vault.index([self.scratch / "empty folder"])
        for name in ("hostile", "empty"):
            models = self.kept / name / "models"
            models.mkdir(exist_ok=True)
            (models / f"action {MARKUP['action'].replace('/', '∕')[:40]}.gguf").write_bytes(b"GGUF no model")
        (self.notes / "gone.md").unlink()
        shutil.copytree(self.notes, self.kept / "notes", copy_function=os.link)

    def fresh(self, kind: str) -> Path:
        """Puts notes, home folder and vault back; gives the vault's folder."""
        for folder in (self.home, self.scratch / "vault", self.scratch / "work"):
            shutil.rmtree(folder, ignore_errors=True)
        self.home.mkdir()
        (self.scratch / "work").mkdir()
        os.chdir(self.scratch / "work")
        shutil.copytree(self.kept / "notes", self.notes, copy_function=os.link)
        if kind != "none":
            shutil.copytree(self.kept / kind, self.scratch / "vault")
        return self.scratch / "vault"

    @contextmanager
    def app(self, kind: str, *, has_model: bool, follows: bool) -> Iterator[NoderagApp]:
        """The application over a fresh vault of a kind."""
        vault = self.fresh(kind)
        engine = Talkative() if has_model else None
        with app_over(vault, engine, models_dir=vault / "models", follow_folders=follows) as app:
            yield app

    def happen(self, what: str) -> None:
        """Something of `random_steps.DISK` happens to the notes."""
        away = self.home / "away"
        if what == "back" and away.exists() and not self.notes.exists():
            away.rename(self.notes)
        if not self.notes.exists():
            return
        first = min(self.notes.glob("*.md"))
        if what == "changed":
            _write_anew(first, f"# Changed {MARKUP['action']}\n\nAnna Berg met Jonas Brandt in Ghent.\n")
        elif what == "deleted":
            max(self.notes.glob("*.md")).unlink()
        elif what == "added":
            _write_anew(
                self.notes / f"new {MARKUP['closed'].replace('/', '∕')}.md",
                f"# New {MARKUP['colour']}\n\nMarta Oliveira.\n",
            )
        elif what == "gone" and not away.exists():
            self.notes.rename(away)

    @contextmanager
    def surroundings(self) -> Iterator[None]:
        """Of the process, while walks are taken: nothing outside of the scratch folder is read, written, started or reached."""
        chosen = {
            "HOME": str(self.home),
            "NODERAG_SETTINGS": str(self.scratch / "work" / "settings.toml"),
            "NODERAG_STATE": str(self.scratch / "state"),
            "NODERAG_RESIDENT": "false",
            # No editor and no program of the desktop is found.
            "PATH": str(self.scratch / "empty folder"),
            "VISUAL": "",
            "EDITOR": "",
            # A model that a walk asks for is looked for where nobody answers.
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "https_proxy": "http://127.0.0.1:9",
            "NO_PROXY": "",
            "no_proxy": "",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": "",
        }
        before = {name: os.environ.get(name) for name in chosen}
        folder = Path.cwd()
        (self.scratch / "work").mkdir(exist_ok=True)
        os.environ.update(chosen)
        try:
            yield
        finally:
            os.chdir(folder)
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def _write_anew(path: Path, text: str) -> None:
    """Puts another file in its place: the kept notes share the old one."""
    new = path.with_name("new.part")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
