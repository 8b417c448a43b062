"""The scope that a server is started with, and what its requests may narrow."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from noderag_local.domain.errors import SettingsError
from noderag_local.domain.passages import Scope
from noderag_local.retrieval.scope_words import scope_of


def fixed_scope(folder: str | None, tag: str | None) -> Scope:
    """Returns the scope of --folder and --tag.

    Raises:
        SettingsError: one of them is given but empty, which would mean all notes.
    """
    scope = scope_of(folder or "", tag or "", "", "")
    for option, given, meant in (("--folder", folder, scope.folder), ("--tag", tag, scope.tag.strip("/ "))):
        if given is not None and not meant:
            raise SettingsError(f"{option} is empty. Name what the other program may see, or leave {option} out.")
    return scope


def narrowed(scope: Scope, since: date | None, until: date | None) -> Scope:
    """Returns the scope limited to some days; folder and tag stay.

    Raises:
        SettingsError: the last day is before the first.
    """
    if since and until and until < since:
        raise SettingsError(f"Nothing is since {since} and until {until}: swap the two days.")
    return replace(scope, since=since, until=until)
