"""Completes a path that is half typed, by a look into one folder."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from noderag_local.system.printing.plain_text import printable

MOST = 200
"""Names that are offered; whoever wants another one types a letter more."""


def completions(text: str, suffixes: Collection[str] = ()) -> list[str]:
    """Returns the completions of a path's last part, as a person would type them, sorted by name.

    Folders end in a slash. Hidden ones come when a dot is typed. A name that a terminal would not show as it is cannot
    be chosen, since what is typed must be what is meant.

    Args:
        text: typed so far; "~" is the home folder, "" the folders of the home folder.
        suffixes: in lower case, of files that are offered as well; none: folders alone.
    """
    if text in ("", "~"):
        text = "~/"
    typed_folder, start = text[: text.rfind("/") + 1], text[text.rfind("/") + 1 :]
    folder = os.path.expanduser(typed_folder) or "."
    found = [
        typed_folder + name
        for name in _names(folder, tuple(suffixes))
        if name.casefold().startswith(start.casefold()) and (start.startswith(".") or not name.startswith("."))
    ]
    return sorted(found, key=lambda path: (path.casefold(), path))[:MOST]


def _names(folder: str, suffixes: tuple[str, ...]) -> list[str]:
    """Returns the names of the subfolders, with a slash, and of files of these kinds; none if the folder cannot be read."""
    names = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if printable(entry.name) != entry.name or "\n" in entry.name or "\t" in entry.name:
                    continue
                if entry.is_dir():
                    names.append(f"{entry.name}/")
                elif suffixes and entry.name.lower().endswith(suffixes):
                    names.append(entry.name)
    except OSError:
        return []
    return names


def common_start(paths: Sequence[str]) -> str:
    """Returns the longest common beginning, ignoring case, spelled as in the first text."""
    for place, signs in enumerate(zip(*paths, strict=False)):
        if len({sign.casefold() for sign in signs}) > 1:
            return paths[0][:place]
    return min(paths, key=len, default="")
