"""The current folder of the program, which somebody may remove while the program runs."""

from __future__ import annotations

from pathlib import Path

from noderag_local.domain.errors import SourceError


def current_folder() -> Path:
    """Returns the current folder.

    Raises:
        SourceError: it no longer exists.
    """
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise SourceError(
            "The current folder no longer exists. Change to another one, then start noderag there again."
        ) from error
