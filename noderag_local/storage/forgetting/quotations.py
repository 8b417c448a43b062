"""Finds the conversations that quote a document, by comparing runs of words.

A run is a sequence of a few words. A quotation has runs in common with the document.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from noderag_local.storage.conversations.conversations import Conversation, Conversations, Turn
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.bigrams import spaced_out
from noderag_local.storage.documents.fts_query import run_of_words, words_in_order
from noderag_local.storage.graph.derived import derived_from_chunks
from noderag_local.system.paths import lies_in

RUN_WORDS = 6
"""Number of words in a run; a shorter text is one run. In a script without spaces, each character counts as a word."""


def words_of(text: str) -> list[str]:
    """Returns the words of a text for making runs: in lower case, without punctuation and spaces."""
    return words_in_order(spaced_out(text))


def runs_of(text: str) -> Iterator[str]:
    """Yields each run of RUN_WORDS words of a text, joined by blanks; a shorter text gives one run."""
    words = words_of(text)
    for first in range(max(len(words) - RUN_WORDS, 0) + 1 if words else 0):
        yield " ".join(words[first : first + RUN_WORDS])


def runs_within(words: Sequence[str], runs: Collection[str], lengths: Collection[int]) -> Iterator[str]:
    """Yields those of the given runs that occur in a text.

    Args:
        words: words of the text, from `words_of`.
        runs: the runs to look for, each as words joined by blanks.
        lengths: the different numbers of words in the runs.
    """
    for length in lengths:
        for first in range(len(words) - length + 1):
            run = " ".join(words[first : first + length])
            if run in runs:
                yield run


SHORTEST_SAID = 3
"""Minimal number of words in a run that identifies a file in a question or an answer; shorter ones are common phrases."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Paths and runs of words by which quotations of some files are found."""

    paths: tuple[str, ...]
    """Absolute paths of files and folders, and former paths of these files."""
    runs: frozenset[str]
    """Runs of words that occur in the files."""
    is_own: Callable[[str], bool]
    """Function that returns whether a run occurs in no other file."""


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
    """Returns the absolute paths of the files that a turn quotes and of the folder to which its search was limited."""
    scope = [os.path.abspath(os.path.expanduser(turn.scope.folder))] if turn.scope.folder else []
    return [*(source.path for source in turn.found.sources), *scope]


def _runs(turn: Turn, runs: frozenset[str], lengths: set[int]) -> Iterator[str]:
    """Yields the runs that occur in a turn: in its passages or, if they are long enough, in its question and answer."""
    found = turn.found
    for text in (*(source.text for source in found.sources), found.context, *(seed for seed, _ in found.seeds)):
        yield from runs_within(words_of(text), runs, lengths)
    longer = {length for length in lengths if length >= SHORTEST_SAID}
    for text in (turn.question, turn.asked_as, turn.answer):
        yield from runs_within(words_of(text), runs, longer)


_CHUNKS = """
SELECT chunks.id FROM chunks JOIN documents ON documents.id = document_id
WHERE file_id IN (SELECT value FROM json_each(?1))
"""
_OWN = f"SELECT id FROM sentences WHERE chunk_id IN ({_CHUNKS})"
_TEXTS = (
    f"SELECT text FROM sentences WHERE id IN ({_OWN})",
    "SELECT title FROM documents WHERE file_id IN (SELECT value FROM json_each(?1))",
    "SELECT value FROM documents, json_each(aliases) WHERE file_id IN (SELECT value FROM json_each(?1))",
    f"SELECT name FROM nodes WHERE id IN (SELECT target FROM edges WHERE type IN ('m', 'k', 'r') AND source IN ({_OWN}))",
    f"SELECT text FROM fragments WHERE chunk_id IN ({_CHUNKS})",
)
_DERIVED = "SELECT name FROM nodes WHERE id IN (SELECT value FROM json_each(?)) AND name IS NOT NULL"
_WHERE = "SELECT rowid FROM chunk_words WHERE chunk_words MATCH ?"


class QuoteMarkers:
    """Runs of words from some files: from their sentences, titles and names, and from the model's texts about them."""

    def __init__(self, store: Store, file_ids: Collection[int]) -> None:
        self._store = store
        files = (json.dumps(list(file_ids)),)
        self._chunks = {number for (number,) in store.rows(_CHUNKS, files)}
        derived = derived_from_chunks(store, self._chunks)
        nodes = (json.dumps([*derived.founded, *derived.summaries]),)
        found = [*(row for sql in _TEXTS for row in store.rows(sql, files)), *store.rows(_DERIVED, nodes)]
        self.runs = frozenset(run for (text,) in found for run in runs_of(text))
        self._own: dict[str, bool] = {}

    def is_own(self, run: str) -> bool:
        """Returns whether a run occurs in no other file, so that a phrase common to many files identifies none."""
        if run not in self._own:
            query = run_of_words(run)
            self._own[run] = bool(query) and all(
                chunk in self._chunks for (chunk,) in self._store.rows(_WHERE, (query,))
            )
        return self._own[run]
