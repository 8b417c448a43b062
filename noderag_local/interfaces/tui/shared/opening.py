"""Opens a file of the notes in the program that is for it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import PurePath

from textual.widget import Widget

from noderag_local.interfaces.tui.shared.confirm_dialog import ConfirmDialog
from noderag_local.interfaces.tui.shared.editor import edit

WHY_ASKED = (
    "Its text, as it was read, can be read here. The program that opens the file itself is not held back from the network: pages, "
    "pictures, templates and scripts that the file names may be fetched or run, and tell somebody that you opened it."
)


def is_for_editor(path: str) -> bool:
    """Returns whether a file is text for the person's editor; any other is opened by a program of the desktop."""
    # With it come the readers of all formats, which the interface starts without.
    from noderag_local.ingest.formats.registry import format_of

    return format_of(path).is_for_editors


def open_file(part: Widget, path: str, line: int, place: str = "") -> bool:
    """Opens text in the person's editor; for any other file asks first, then starts the desktop's program.

    Args:
        part: what asks for it; a toast there says why it cannot be done, or where to look.
        line: from 1; 0 where the file has none.
        place: as in `Passage.place`: no desktop can be asked to open a file at a page.

    Returns:
        whether an editor was open.
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
    """Returns the arguments that open a file as a double click does; no shell reads them.

    Args:
        path: absolute, so that it cannot be taken for an option.
        platform: as `sys.platform` has it.
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
        # Somebody has to wait for it, else what is left of it stays as long as the interface.
        threading.Thread(target=started.wait, daemon=True).start()
        part.notify(f"Opened {name}" + (f": look at {place}." if place else "."), markup=False)
