"""Giving the terminal to the person's own editor for a while."""

from __future__ import annotations

import os
import subprocess

from textual.app import SuspendNotSupported
from textual.widget import Widget

from noderag_local.domain.errors import SettingsError
from noderag_local.interfaces.tui.shared.editor import editor_command


def edit(part: Widget, path: str, line: int) -> bool:
    """Opens a file in the editor and comes back when that is closed; whether it was open.

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
