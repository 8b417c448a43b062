"""Copies to the clipboard where the terminal alone would not.

Textual asks the terminal to copy, by the control sequence OSC 52. tmux drops this request unless it was set up for it, and
GNOME's and Apple's terminals do not know it. A program that is there anyway then does it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

PATIENCE_SECONDS = 5.0
"""Seconds after which a program is given up that does not take the text."""


def copy_program(environment: Mapping[str, str], platform: str = sys.platform) -> Sequence[str]:
    """Returns the command that takes a text from standard input to the clipboard; empty if the terminal is to do it.

    Args:
        environment: variables that tell where the interface is shown.
        platform: as `sys.platform`.
    """
    candidates: list[tuple[str, ...]] = []
    if environment.get("TMUX"):
        candidates = [("tmux", "load-buffer", "-w", "-")]
    elif environment.get("SSH_CONNECTION"):
        # The clipboard of this machine is not that of the person.
        return ()
    elif platform == "darwin":
        candidates = [("pbcopy",)]
    elif environment.get("WAYLAND_DISPLAY"):
        candidates = [("wl-copy",)]
    elif environment.get("DISPLAY"):
        candidates = [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    path = environment.get("PATH", "")
    return next((command for command in candidates if shutil.which(command[0], path=path)), ())


def copy_by(command: Sequence[str], text: str) -> None:
    """Gives a text to a command of `copy_program`; if it fails, what the terminal did must do."""
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
