"""`noderag demo`: answers questions about sample notes that ship with the package."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault

if TYPE_CHECKING:
    from noderag_local.interfaces.cli.interruption import Interruption
    from noderag_local.vault.vault import Vault

STAMP = "demo-notes.sha256"
"""File in the demo's vault with a hash of the notes that it was made from. Only a folder with this file was made by the demo,
and only such a folder is ever removed."""


def demo(vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Answer three questions about sample notes.

    The notes ship with noderag and are indexed into a vault of their own.

    \b
    Example:
      noderag demo
    """
    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.interruption import clean_stop

    notes = notes_folder()
    folder = vault or demo_vault()
    forget_other_notes(folder, notes)
    with opened_vault(folder) as opened, clean_stop("Stopping.") as stop:
        _index(opened, notes, stop, as_json)
        answers = [] if stop.asked() else _ask_all(opened, stop, as_json)
    if as_json:
        from noderag_local.interfaces.cli.json_output import print_document

        print_document({"vault": folder, "notes": notes, "answers": answers})
    if stop.asked():
        raise typer.Exit(STOPPED)
    if not as_json:
        _print_farewell()


def notes_folder() -> Path:
    """Returns the folder of the sample notes in the installed package."""
    return Path(str(files("noderag_local.evaluation.demo"))) / "notes"


@dataclass(frozen=True, slots=True)
class Script:
    """The questions of the demo."""

    questions: tuple[str, ...]
    budget_tokens: int
    """Token budget; below the default, since the notes are few and a first look should be quick on a slow machine."""


def demo_script() -> Script:
    """Reads the demo's questions from the package."""
    table = tomllib.loads(files("noderag_local.evaluation.demo").joinpath("questions.toml").read_text(encoding="utf-8"))
    return Script(tuple(table["questions"]), int(table["budget_tokens"]))


def demo_vault() -> Path:
    """Returns the folder of the demo's vault, beside the user's."""
    from noderag_local.config import default_vault

    return default_vault().parent / "demo"


def forget_other_notes(folder: Path, notes: Path) -> None:
    """Removes the demo's vault if it was made from other notes, so that none of those is cited."""
    from noderag_local.system.disk.private_files import make_private_folder, write_private

    stamp = folder / STAMP
    wanted = _digest(notes)
    if stamp.exists() and stamp.read_text(encoding="ascii").strip() != wanted:
        shutil.rmtree(folder)
    if not folder.exists():
        make_private_folder(folder)
        write_private(stamp, wanted + "\n")


def _digest(notes: Path) -> str:
    digest = sha256(str(notes).encode("utf-8", "replace"))
    for path in sorted(path for path in notes.rglob("*") if path.is_file()):
        digest.update(path.relative_to(notes).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _index(vault: Vault, notes: Path, stop: Interruption, as_json: bool) -> None:
    from noderag_local.interfaces.cli.notes.index_command import print_report
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    if not as_json:
        show(console(), f"Indexing the sample notes in {notes}")
    with shown_stages() as progress:
        report = vault.index([notes], progress=progress, cancelled=stop.asked)
    if not as_json:
        print_report(report)


def _ask_all(vault: Vault, stop: Interruption, as_json: bool) -> list[dict[str, Any]]:
    """Asks the demo's questions; returns the answers as --json prints them."""
    from rich.text import Text

    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.interfaces.cli.questions.answer_view import answer_fields, begun, print_answer

    out = console()
    answers: list[dict[str, Any]] = []
    script = demo_script()
    for question in script.questions:
        if stop.asked():
            break
        stream = begun(vault, question, passages_first=True, budget_tokens=script.budget_tokens, cancelled=stop.asked)
        if as_json:
            answers.append(answer_fields(stream.finish()))
            continue
        show(out)
        show(out, Text(f"? {question}", style="bold"))
        show(out)
        print_answer(stream)
    return answers


def _print_farewell() -> None:
    from noderag_local.interfaces.cli.printed import console, show

    out = console()
    show(out)
    show(out, "Try it with your own notes:")
    show(out, "noderag index ~/notes", indent=2)
    show(out, 'noderag ask "…"', indent=2)
