"""Opens the person's own editor on a file at a line."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from textual.app import SuspendNotSupported
from textual.widget import Widget

from noderag_local.domain.errors import SettingsError

_GOTO = {"code", "code-insiders", "codium", "cursor"}
"""Editors with a window of their own: they are waited for, and take path:line after --goto."""
_COLON = {"hx", "helix", "subl", "zed"}
"""Editors that take path:line."""


def editor_command(path: str, line: int, environment: Mapping[str, str]) -> list[str]:
    """Returns the arguments that open a file in the editor; no shell reads them.

    Args:
        path: absolute, so that it cannot be taken for an option.
        line: from 1.
        environment: VISUAL comes before EDITOR.

    Raises:
        SettingsError: neither is set, or it cannot be read.
    """
    named = environment.get("VISUAL") or environment.get("EDITOR") or ""
    try:
        editor = shlex.split(named)
    except ValueError as error:
        raise SettingsError(f"EDITOR cannot be read ({error}): {named!r}. Set it to a command such as nano.") from error
    if not editor:
        raise SettingsError("No editor is named. Set EDITOR, for example: export EDITOR=nano")
    name = Path(editor[0]).name
    if name in _GOTO:
        return [*editor, "--wait", "--goto", f"{path}:{line}"]
    if name in _COLON:
        return [*editor, f"{path}:{line}"]
    return [*editor, f"+{line}", path]


def edit(part: Widget, path: str, line: int) -> bool:
    """Opens a file in the editor, waits until it is closed, and returns whether it could be opened.

    Args:
        part: what asks for it; where it cannot be done, a toast says why.
        line: from 1.
    """
    try:
        command = editor_command(path, line, os.environ)
        with part.app.suspend():
            subprocess.run(command, check=False)
    except SettingsError as error:
        problem = str(error)
    except SuspendNotSupported:
        problem = "This terminal cannot give way to an editor."
    except OSError as error:
        problem = f"The editor {command[0]} cannot be started: {error.strerror or error}. Set EDITOR to another."
    else:
        return True
    part.notify(problem, severity="warning", markup=False)
    return False
