"""Opens a file of the notes: text in the user's editor at a line, any other file in the desktop's program."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path, PurePath

from textual.app import SuspendNotSupported
from textual.widget import Widget

from noderag_local.domain.errors import SettingsError
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shared.editor_dialog import EditorDialog
from noderag_local.interfaces.tui.shared.workers import start_worker
from noderag_local.interfaces.tui.shell.owner import noderag_of

_GOTO = {"code", "code-insiders", "codium", "cursor"}
"""Editors with their own window, which take path:line after --goto; the interface waits for them."""
_COLON = {"hx", "helix", "subl", "zed"}
"""Editors that take path:line."""


EDITORS = ("nano", "micro", "hx", "emacs", "vim", "vi")
"""Editors that are looked for where no variable names one; first those that tell a newcomer how to leave them."""


def installed_editors(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the editors in EDITORS that are installed."""
    return tuple(name for name in EDITORS if shutil.which(name, path=environment.get("PATH", "")))


def named_editor(environment: Mapping[str, str], chosen: str) -> str:
    """Returns the editor command from VISUAL, else EDITOR, else the setting; "" if none is set."""
    named = environment.get("VISUAL") or environment.get("EDITOR") or chosen
    return named if named.strip() else ""


def editor_command(path: str, line: int, named: str) -> list[str]:
    """Returns the command that opens a file in the editor; it is not passed to a shell.

    Args:
        path: absolute path, so that it cannot be taken for an option.
        line: line number, from 1.
        named: editor command.

    Raises:
        SettingsError: the command is empty or cannot be parsed.
    """
    try:
        editor = shlex.split(named)
    except ValueError as error:
        raise SettingsError(
            f"EDITOR cannot be read as a command ({error}): {named!r}. Set VISUAL, EDITOR or the setting editor to a command such as nano."
        ) from error
    if not editor:
        raise SettingsError(
            "No editor is named, and none was found. Install one, or set EDITOR, for example: export EDITOR=nano"
        )
    name = Path(editor[0]).name
    if name in _GOTO:
        return [*editor, "--wait", "--goto", f"{path}:{line}"]
    if name in _COLON:
        return [*editor, f"{path}:{line}"]
    return [*editor, f"+{line}", path]


def edit(part: Widget, path: str, line: int) -> bool:
    """Opens a file in the editor, waits until it is closed, and returns whether it could be opened.

    If the user has named no editor and some are installed, a dialog asks once which one to use; the file opens after that, and
    this call returns False.

    Args:
        part: widget that asks; it shows a notification if the file cannot be opened.
        path: absolute path of the file.
        line: line number, from 1.
    """
    named = named_editor(os.environ, noderag_of(part).session.settings.editor)
    installed = () if named else installed_editors(os.environ)
    if not installed:
        return _run_editor(part, path, line, named)
    part.app.push_screen(EditorDialog(installed), lambda chosen: _keep_and_edit(part, path, line, chosen))
    return False


def _keep_and_edit(part: Widget, path: str, line: int, chosen: str | None) -> None:
    from noderag_local.interfaces.tui.settings.setting_change import changed

    if chosen is None:
        return
    app = noderag_of(part)
    try:
        settings = changed(app.session.settings, "editor", chosen)
    except SettingsError as error:
        part.notify(str(error), severity="warning", markup=False)
    else:
        # In a worker, since the change waits for running work, and the application takes no key while it awaits this callback.
        start_worker(app, partial(app.change_settings, settings), "settings")
    _run_editor(part, path, line, chosen)


def _run_editor(part: Widget, path: str, line: int, named: str) -> bool:
    try:
        command = editor_command(path, line, named)
        with part.app.suspend():
            subprocess.run(command, check=False)
    except SettingsError as error:
        problem = str(error)
    except SuspendNotSupported:
        problem = "This terminal cannot be handed to an editor."
    except OSError as error:
        problem = f"The editor {command[0]} cannot be started: {error.strerror or error}. Set EDITOR to another."
    else:
        return True
    part.notify(problem, severity="warning", markup=False)
    return False


WHY_ASKED = (
    "Its text, as it was read, can be read here. The program that opens the file itself is not held back from the network: pages, "
    "pictures, templates and scripts that the file names may be fetched or run, and tell somebody that you opened it."
)


def is_for_editor(path: str) -> bool:
    """Returns whether a file is text for the user's editor; other files are opened by the desktop's program."""
    # Imported here, since the readers of all formats come with it and would delay the start of the interface.
    from noderag_local.ingest.formats.registry import format_of

    return format_of(path).is_for_editors


def open_file(part: Widget, path: str, line: int, place: str = "") -> bool:
    """Opens text in the user's editor; for any other file asks first, then starts the desktop's program.

    Args:
        part: widget that asks; it shows a notification if the file cannot be opened.
        path: absolute path of the file.
        line: line number, from 1; 0 if the file has no lines.
        place: place as in `Passage.place`, shown to the user because no desktop can open a file at a page.

    Returns:
        Whether an editor was open.
    """
    if is_for_editor(path):
        return edit(part, path, max(line, 1))

    def answered(is_yes: bool | None) -> None:
        if is_yes:
            _start(part, path, place)

    name = " ".join(PurePath(path).name.split())
    question = f"Open {name} in the desktop's program for such files?"
    part.app.push_screen(ConfirmDialog(question, "Open", WHY_ASKED, "Read it here"), answered)
    return False


def desktop_command(path: str, platform: str) -> list[str]:
    """Returns the command that opens a file as a double click does; it is not passed to a shell.

    Args:
        path: absolute path, so that it cannot be taken for an option.
        platform: value of `sys.platform`.
    """
    if platform == "darwin":
        return ["open", path]
    return ["explorer", path] if platform == "win32" else ["xdg-open", path]


def _start(part: Widget, path: str, place: str) -> None:
    name = PurePath(path).name
    command = desktop_command(path, sys.platform)
    try:
        started = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        told = f"{name} cannot be opened: {command[0]}: {error.strerror or error}. Open it by hand: {path}"
        part.notify(told, severity="warning", markup=False)
    else:
        # Waits for the program in a thread; without that, a finished process stays in the system until the interface ends.
        threading.Thread(target=started.wait, daemon=True).start()
        part.notify(f"Opened {name}" + (f": look at {place}." if place else "."), markup=False)
