"""Opening a file of the notes in the program that is for it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import PurePath

from textual.widget import Widget

from noderag_local.tui.desktop import desktop_command
from noderag_local.tui.editing import edit


def open_file(part: Widget, path: str, line: int, place: str = "") -> bool:
    """Opens text in the person's editor, and anything else in the desktop's program; whether an editor was open.

    Args:
        part: what asks for it; a toast there says why it cannot be done, or where to look.
        line: from 1; 0 where the file has none.
        place: as of a records.Passage: no desktop can be asked to open a file at a page.
    """
    # With it come the readers of all formats, which the interface starts without.
    from noderag_local.ingest.formats import format_of

    known = format_of(path)
    if known is None or known.is_for_editors:
        return edit(part, path, max(line, 1))
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
    return False
