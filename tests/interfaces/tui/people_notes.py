"""Notes about people and others, a vault of them, and the library screen over it."""

from __future__ import annotations

from pathlib import Path

from interfaces.tui.waiting import until
from textual.pilot import Pilot
from textual.widgets import Label

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.jobs.jobs import Job
from noderag_local.interfaces.tui.library.document_table import DocumentTable
from noderag_local.interfaces.tui.library.library_screen import LibraryScreen
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.vault.vault import Vault

PEOPLE = {"Oslo": "Ann Lee", "Bergen": "Bob Moore"}


def write_people(folder: Path) -> Path:
    """Two notes about people."""
    folder.mkdir()
    for town, person in PEOPLE.items():
        (folder / f"{town}.md").write_text(f"# {town}\n\n{person} lives in {town}. The house is old.\n", "utf-8")
    return folder


def write_german(folder: Path) -> Path:
    """Six notes in another language than the one that the installed embedding model knows."""
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.md").write_text(
            f"Die Großmutter hat das Rezept in der Küche auf Blatt {number} geschrieben.\n", encoding="utf-8"
        )
    return folder


def indexed(notes: Path, folder: Path) -> Path:
    """A vault of some notes."""
    with Vault(folder, load_settings(models_dir=folder / "no-models")) as vault:
        vault.index([notes])
    return folder


async def library(app: NoderagApp, pilot: Pilot[None], documents: int) -> DocumentTable:
    """The screen, when it shows so many documents."""
    await pilot.press("f3")
    await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
    table = app.screen.query_one(DocumentTable)
    await until(pilot, lambda: table.kept == documents)
    await pilot.pause()
    return table


async def ended_job(app: NoderagApp, pilot: Pilot[None]) -> Job:
    """What was begun, when it has come to its end."""
    await until(pilot, lambda: app.jobs.job and app.jobs.job.is_over)
    assert app.jobs.job is not None
    return app.jobs.job


def said(app: NoderagApp, name: str) -> str:
    return str(app.screen.query_one(name, Label).content)
