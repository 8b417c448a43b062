"""Names the files that are left out, below the reason."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from textual.content import Content

from noderag_local.interfaces.tui.shared.terminal_text import from_home, on_one_line
from noderag_local.system.paths import lies_in
from noderag_local.vault.browsing.left_out import LeftOut

MOST_NAMED = 200
"""Maximum number of files that are named for each reason: a folder of photos has many thousands."""


def left_out_lines(left_out: Iterable[LeftOut], folders: Sequence[str]) -> Iterator[Content]:
    """Yields a line for each reason with the number of its files, and below it a line for each file.

    Args:
        left_out: what is left out, by reason.
        folders: paths that were named for indexing; a file below one is named by its path from there.
    """
    for group in left_out:
        yield Content(f"{len(group.paths):>9,}  ") + on_one_line(group.reason, "$text-muted")
        for path in group.paths[:MOST_NAMED]:
            yield Content("  ") + on_one_line(_short(path, folders), "$text-muted")
        if (more := len(group.paths) - MOST_NAMED) > 0:
            yield Content.styled(f"  and {more:,} more", "$text-muted")


def _short(path: str, folders: Sequence[str]) -> str:
    within = [folder for folder in folders if path != folder and lies_in(path, folder)]
    return os.path.relpath(path, max(within, key=len)) if within else from_home(path)
