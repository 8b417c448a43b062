"""Adds a line to the inbox, a note of the user's. No other code of noderag writes a note."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from noderag_local.domain.errors import DocumentError, SettingsError, SourceError
from noderag_local.ingest.chunks.encodings import Encoding, detect, show_holes
from noderag_local.system.disk.appended_file import append
from noderag_local.system.paths import absolute
from noderag_local.system.printing.plain_text import printable

UTF_8 = Encoding("utf-8")
INDENT = "  "
"""In front of the further lines of a text, which makes them part of its list item."""
_TASK = re.compile(r"(?:[-*+] )?\[ \] +(?=\S)")
"""An empty check box at the beginning of a text."""


def inbox_of(setting: str, vault: Path) -> Path:
    """Returns the path of the inbox.

    Args:
        setting: the setting `inbox_file`.
        vault: folder of the vault.

    Raises:
        SettingsError: the setting is empty, or names a file in the vault, which is not for notes.
    """
    if not setting:
        raise SettingsError(
            "There is no inbox yet: the setting inbox_file names the note that lines are added to. Set it once, for example "
            'inbox_file = "~/notes/inbox.md" in the settings file (`noderag doctor` names it), then start noderag again; or with F6 in the interface.'
        )
    file = absolute(Path(setting))
    if file.is_relative_to(absolute(vault)):
        raise SettingsError(f"inbox_file is {file}, which is in the vault. Name a note in a folder of yours.")
    return file


def entry(text: str, now: datetime) -> str:
    """Returns a text as a list item with its day and time: "- 2026-11-25 18:05 Call the landlord".

    A task stays one: "- [ ] Call by Friday ➕ 2026-11-25 18:05". Its time follows a sign, because a day in front of a task, or one
    without the sign, would be taken for the day on which it is due.

    Args:
        text: one line or several; control characters are left out.
        now: local time.
    """
    lines = [line.rstrip() for line in show_holes(printable(text)).strip().splitlines()]
    first, *others = lines
    indented = [f"{INDENT}{line}" if line else "" for line in others]
    moment = f"{now:%Y-%m-%d %H:%M}"
    box = _TASK.match(first)
    item = f"- [ ] {first[box.end() :]} ➕ {moment}" if box else f"- {moment} {first}"
    return "\n".join([item, *indented])


def add_entry(file: Path, item: str) -> None:
    """Appends a list item to the inbox on lines of its own, in the file's encoding and with its line ends.

    Raises:
        SourceError: the file cannot be written, is a link, is not text, or its encoding lacks a character of the item.
    """
    try:
        append(file, _addition(file, item))
    except DocumentError as error:
        raise SourceError(f"Nothing was added to {file}: {error}. Name another note in inbox_file.") from error
    except UnicodeEncodeError as error:
        raise SourceError(
            f"Nothing was added to {file}: its encoding, {error.encoding}, has no {error.object[error.start]!r}. Save the note as "
            "UTF-8, then add the line again."
        ) from error
    except OSError as error:
        raise SourceError(f"Nothing was added to {file}: {_reason(error)}") from error


def _addition(file: Path, item: str) -> Callable[[bytes], bytes]:
    def addition(content: bytes) -> bytes:
        encoding = detect([content]) if content else UTF_8
        text = content[encoding.mark_bytes :].decode(encoding.name, encoding.errors)
        line_end = _line_end(text)
        lines = item.replace("\n", line_end) + line_end
        is_open = bool(text) and not text.endswith(("\n", "\r"))
        return (line_end * is_open + lines).encode(encoding.name)

    return addition


def _line_end(text: str) -> str:
    """Returns the last line end of a text; that of Unix if it has none."""
    at = max(text.rfind("\n"), text.rfind("\r"))
    if at < 0:
        return "\n"
    return "\r\n" if text[at - 1 : at + 1] == "\r\n" else text[at]


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "it is a link, and no link is followed. Name the file itself in inbox_file."
    if error.errno == errno.EISDIR:
        return "it is a folder. Name a note in it in inbox_file, such as inbox.md."
    if error.errno == errno.ENOENT:
        return "its folder does not exist. Make the folder, or name another note in inbox_file."
    return f"{error.strerror or error}. Free some space or fix its permissions, or name another note in inbox_file."
