"""Which conversations quote a document."""

from __future__ import annotations

import os
from dataclasses import dataclass

from noderag_local.paths import lies_in
from noderag_local.store.conversations import Conversation, Conversations, Turn


@dataclass(frozen=True, slots=True)
class Quoted:
    """What to look for."""

    paths: tuple[str, ...]
    """Files and folders, absolute."""
    texts: frozenset[str]
    """Sentences and names, whole."""


def quoting(conversations: Conversations, quoted: Quoted) -> list[Conversation]:
    """Those that have something of it: as a source of an answer, in what a search started from, or named by its path."""
    return [one for one in conversations.all() if any(_quotes(turn, quoted) for turn in conversations.turns(one.id))]


def _quotes(turn: Turn, quoted: Quoted) -> bool:
    scope = [os.path.abspath(os.path.expanduser(turn.scope.folder))] if turn.scope.folder else []
    places = [*(source.path for source in turn.found.sources), *scope]
    said = (turn.question, turn.asked_as, turn.answer, turn.scope.folder, turn.found.question)
    return (
        any(lies_in(place, path) for place in places for path in quoted.paths)
        or any(seed in quoted.texts for seed, _ in turn.found.seeds)
        or any(path in text for path in quoted.paths for text in said)
    )
