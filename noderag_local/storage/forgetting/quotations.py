"""Which conversations quote a document."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from noderag_local.storage.conversations.conversations import Conversation, Conversations, Turn
from noderag_local.storage.forgetting.word_runs import runs_within, words_of
from noderag_local.system.paths import lies_in

SHORTEST_SAID = 3
"""Words of a run that gives a file away in what a person or a model says; fewer are anybody's words."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Paths and runs of words by which a quotation is found."""

    paths: tuple[str, ...]
    """Files and folders, absolute, and former paths of these files."""
    runs: frozenset[str]
    """Runs of words that stand there."""
    is_own: Callable[[str], bool]
    """Whether a run stands nowhere else."""


def quoting(conversations: Conversations, quoted: Quoted) -> list[Conversation]:
    """Returns the conversations that quote a passage, a name or a path of the files."""
    lengths = {run.count(" ") + 1 for run in quoted.runs}
    return [
        one
        for one in conversations.all()
        if any(_quotes(turn, quoted, lengths) for turn in conversations.turns(one.id))
    ]


def _quotes(turn: Turn, quoted: Quoted, lengths: set[int]) -> bool:
    said = (turn.question, turn.asked_as, turn.answer, turn.scope.folder, turn.found.question)
    return (
        any(lies_in(place, path) for place in places(turn) for path in quoted.paths)
        or any(path in text for path in quoted.paths for text in said)
        or any(quoted.is_own(run) for run in _runs(turn, quoted.runs, lengths))
    )


def places(turn: Turn) -> list[str]:
    """Returns the absolute paths of the files that a turn quotes, and of the folder that its search was limited to."""
    scope = [os.path.abspath(os.path.expanduser(turn.scope.folder))] if turn.scope.folder else []
    return [*(source.path for source in turn.found.sources), *scope]


def _runs(turn: Turn, runs: frozenset[str], lengths: set[int]) -> Iterator[str]:
    """Yields the runs that stand in a turn: in its passages or, if long enough, in the question and the answer."""
    found = turn.found
    for text in (*(source.text for source in found.sources), found.context, *(seed for seed, _ in found.seeds)):
        yield from runs_within(words_of(text), runs, lengths)
    longer = {length for length in lengths if length >= SHORTEST_SAID}
    for text in (turn.question, turn.asked_as, turn.answer):
        yield from runs_within(words_of(text), runs, longer)
