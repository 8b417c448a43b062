"""Stores conversations, questions with their answers, until the user deletes them."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from noderag_local.domain.errors import NotFound, QuotesForgotten
from noderag_local.domain.passages import EVERYTHING, Retrieval, Scope
from noderag_local.storage.conversations.conversation_file import (
    FILE_NAME,
    clear_traces,
    has_table,
    has_traces,
    note_traces,
    reading,
    writing,
)
from noderag_local.storage.conversations.turn_documents import (
    retrieval_document,
    retrieval_of,
    scope_document,
    scope_of,
)
from noderag_local.storage.database.spelling import path_of, path_value, storable
from noderag_local.storage.database.sqlite_file import PATIENT_MILLISECONDS
from noderag_local.storage.database.unlocked_file import is_writable
from noderag_local.storage.documents.bigrams import bigrams
from noderag_local.storage.documents.fts_query import words_begun

LONGEST_NAME = 60
"""Maximal number of characters of a name that is made from the first question."""

_CONVERSATIONS = """
SELECT c.id, c.name, c.created_ms, c.changed_ms,
  (SELECT count(*) FROM turns WHERE conversation_id = c.id),
  coalesce((SELECT question FROM turns WHERE conversation_id = c.id ORDER BY position LIMIT 1), '')
FROM conversations c
"""
_TURNS = """
SELECT question, asked_as, answer, found, scope, model, cost, abstained, stopped, note
FROM turns WHERE conversation_id = ? ORDER BY position
"""
_SPEAKING_OF = """
SELECT DISTINCT conversation_id FROM turn_words JOIN turns ON turns.id = turn_words.rowid WHERE turn_words MATCH ?
"""
_INSERT_TURN = """
INSERT INTO turns (conversation_id, position, question, asked_as, answer, found, scope, model, cost, abstained, stopped, note)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and time that an answer of a language model took."""

    first_word_seconds: float
    """Seconds from the question to the first word, the search included."""
    seconds: float
    """Seconds from the question to the last word."""
    read_tokens: int
    written_tokens: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer."""

    question: str
    """Question as the user wrote it."""
    asked_as: str
    """Question rewritten so that it can be understood without the conversation; empty if it was not rewritten."""
    answer: str
    """Answer as it was shown, with its citation markers [n]."""
    found: Retrieval
    """Result of the search: method, budget, sources, ranked nodes and seeds."""
    scope: Scope = EVERYTHING
    model: str = ""
    """Name of the language model; empty if the passages themselves are the answer."""
    cost: Cost | None = None
    """Cost of the answer; None if no model was asked."""
    abstained: bool = False
    """Whether the answer says that the notes do not contain one."""
    stopped: bool = False
    """Whether the user stopped the answer."""
    note: str = ""
    """One line about the answer, as in `Answer.note`."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as a list shows it."""

    id: int
    name: str
    """Name given by the user, or the shortened first question."""
    created: datetime
    changed: datetime
    turns: int
    """Number of turns."""


class Conversations:
    """The conversations of a vault. Any thread may use it, since no file stays open between two calls.

    Every method raises a `StoreError` if the file cannot be used. Writing creates the file, but not its folder.
    """

    def __init__(self, folder: Path, has_forgotten: Callable[[Collection[str]], bool] = lambda _: False) -> None:
        """Opens nothing yet.

        Args:
            folder: folder of the vault.
            has_forgotten: tells whether one of some files was forgotten; asked before a turn that quotes them is stored.
        """
        self.path = folder / FILE_NAME
        self._has_forgotten = has_forgotten

    @property
    def is_read_only(self) -> bool:
        """Whether no conversation can be stored or deleted, because this process cannot write to the folder."""
        return self.path.parent.is_dir() and not is_writable(self.path.parent)

    def all(self) -> list[Conversation]:
        """Returns every conversation, the most recently changed first."""
        with reading(self.path) as connection:
            return _listed(connection) if connection else []

    def search(self, words: str) -> list[Conversation]:
        """Returns the conversations with all of the words in one turn or in their name, the most recently changed first.

        Args:
            words: text to search for; each of its words also matches longer words that begin with it. A text without words
            matches all conversations.
        """
        with reading(self.path) as connection:
            if connection is None:
                return []
            listed, query = _listed(connection), words_begun(words)
            if not query:
                return listed
            speaking = {number for (number,) in connection.execute(_SPEAKING_OF, (query,))}
        named = words.casefold().split()
        return [one for one in listed if one.id in speaking or all(word in one.name.casefold() for word in named)]

    def get(self, number: int) -> Conversation:
        """Returns a conversation.

        Raises:
            NotFound: no conversation has this id, or it was deleted.
        """
        with self._reading() as connection:
            return _conversation(connection, number)

    def turns(self, number: int) -> tuple[Turn, ...]:
        """Returns all turns of a conversation, in order.

        Raises:
            NotFound: no conversation has this id, or it was deleted.
        """
        with self._reading() as connection:
            _conversation(connection, number)
            return tuple(_turn(*row) for row in connection.execute(_TURNS, (number,)))

    def add(self, number: int | None, turn: Turn) -> Conversation:
        """Adds a turn at the end of a conversation.

        Args:
            number: id of the conversation; None starts a new one.
            turn: the question with its answer.

        Returns:
            The conversation with the new turn.

        Raises:
            NotFound: no conversation has this id, or it was deleted.
            QuotesForgotten: the turn quotes a file that was forgotten meanwhile.
            StoreError: nobody can know whether it does, since the vault cannot be read.
        """
        with writing(self.path) as connection:
            self._refuse_forgotten(turn)
            begun = _begin(connection) if number is None else number
            _put(connection, begun, _conversation(connection, begun).turns, turn)
            return _conversation(connection, begun)

    def replace_last(self, number: int, turn: Turn) -> Conversation:
        """Replaces the last turn completely, after a retry or an edited question.

        Raises:
            NotFound: no conversation has this id, or it was deleted.
            QuotesForgotten: the turn quotes a file that was forgotten meanwhile; the last turn stays.
        """
        with writing(self.path) as connection:
            self._refuse_forgotten(turn)
            last = max(_conversation(connection, number).turns - 1, 0)
            _remove_turns(connection, number, last)
            _write_words_anew(connection)
            _put(connection, number, last, turn)
            return _conversation(connection, number)

    def rename(self, number: int, name: str) -> Conversation:
        """Names a conversation; an empty name restores the default, which is made from the first question.

        Raises:
            NotFound: no conversation has this id, or it was deleted.
        """
        with writing(self.path) as connection:
            _conversation(connection, number)
            connection.execute(
                "UPDATE conversations SET name = ? WHERE id = ?", (storable(" ".join(name.split())), number)
            )
            return _conversation(connection, number)

    def delete(self, number: int) -> None:
        """Deletes a conversation and erases its words from the file; does nothing if it is already deleted."""
        self.delete_all([number])
        self.clear_traces()

    def delete_all(self, numbers: Collection[int]) -> None:
        """Deletes several conversations; their bytes may stay in the file until `clear_traces`."""
        if not numbers or not self.path.is_file():
            return
        with writing(self.path) as connection:
            note_traces(connection)
            for number in numbers:
                _remove_turns(connection, number, 0)
                connection.execute("DELETE FROM conversations WHERE id = ?", (number,))
            _write_words_anew(connection)
            quoted = _quoted_paths(connection)
            gone = [
                (path,) for (path,) in connection.execute("SELECT path FROM later_paths") if path_of(path) not in quoted
            ]
            connection.executemany("DELETE FROM later_paths WHERE path = ?", gone)

    def wait_for_writers(self) -> None:
        """Returns when every turn is stored, or refused, that was being added when this was called."""
        if self.path.is_file():
            with writing(self.path):
                pass

    @property
    def has_traces(self) -> bool:
        """Returns whether the file or its log may still contain bytes of deleted turns."""
        return has_traces(self.path)

    def clear_traces(self, wait_milliseconds: int = PATIENT_MILLISECONDS) -> bool:
        """Erases what deleted turns may have left in the file's free pages and in its log.

        Args:
            wait_milliseconds: how long to wait for other programs that read the file.

        Returns:
            False if another program kept reading the file; then `has_traces` is still true.
        """
        if clear_traces(self.path, wait_milliseconds):
            return True
        if not self.has_traces:
            with writing(self.path) as connection:
                note_traces(connection)
        return False

    def draft(self) -> str:
        """Returns the text that was kept by `keep_draft`; "" if there is none."""
        with reading(self.path) as connection:
            if connection is None or not has_table(connection, "_draft"):
                return ""
            row = connection.execute("SELECT text FROM _draft").fetchone()
            return row[0] if row else ""

    def keep_draft(self, text: str) -> None:
        """Keeps a text that is being written, in place of the one before; an empty text keeps none.

        A vault has one draft: with two windows open, the one in which somebody typed last.
        """
        if not text and not self.path.is_file():
            return
        with writing(self.path) as connection:
            connection.execute("DELETE FROM _draft")
            if text:
                connection.execute("INSERT INTO _draft (text) VALUES (?)", (storable(text),))

    def quoted_paths(self) -> set[str]:
        """Returns the paths of all sources of all turns, as they were when the answer was given."""
        with reading(self.path) as connection:
            return _quoted_paths(connection) if connection else set()

    def later_paths(self) -> set[tuple[str, str]]:
        """Returns pairs, stored by `note_later`, of a path that turns quote and a later path of the same file."""
        with reading(self.path) as connection:
            if connection is None or not has_table(connection, "later_paths"):
                return set()
            rows = connection.execute("SELECT path, later FROM later_paths")
            return {(path_of(path), path_of(later)) for path, later in rows}

    def note_later(self, moved: Iterable[tuple[str, str]]) -> None:
        """Stores pairs of a path that turns quote and a later path of the same file, before the vault removes the file."""
        rows = [(path_value(path), path_value(later)) for path, later in moved]
        if rows:
            with writing(self.path) as connection:
                connection.executemany("INSERT OR IGNORE INTO later_paths (path, later) VALUES (?, ?)", rows)

    def _refuse_forgotten(self, turn: Turn) -> None:
        # Inside the transaction: a forgetting that begins later waits for it, finds the turn and deletes it.
        if self._has_forgotten({source.path for source in turn.found.sources}):
            raise QuotesForgotten("This answer is not stored: a note that it quotes was forgotten meanwhile.")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with reading(self.path) as connection:
            if connection is None:
                raise NotFound("There are no conversations yet. Ask something first.")
            yield connection


def _listed(connection: sqlite3.Connection) -> list[Conversation]:
    return [_shown(*row) for row in connection.execute(f"{_CONVERSATIONS} ORDER BY c.changed_ms DESC, c.id DESC")]


def _conversation(connection: sqlite3.Connection, number: int) -> Conversation:
    row = connection.execute(f"{_CONVERSATIONS} WHERE c.id = ?", (number,)).fetchone()
    if row is None:
        raise NotFound("This conversation was deleted. Begin a new one.")
    return _shown(*row)


def _shown(number: int, name: str, created_ms: int, changed_ms: int, turns: int, question: str) -> Conversation:
    return Conversation(number, name or _name_of(question), _moment(created_ms), _moment(changed_ms), turns)


def _name_of(question: str) -> str:
    name = " ".join(question.split())
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 2].rstrip()} …"


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _begin(connection: sqlite3.Connection) -> int:
    now = _now_ms()
    made = connection.execute("INSERT INTO conversations (name, created_ms, changed_ms) VALUES ('', ?, ?)", (now, now))
    return int(made.lastrowid or 0)


def _put(connection: sqlite3.Connection, number: int, position: int, turn: Turn) -> None:
    question, asked_as, answer = storable(turn.question), storable(turn.asked_as), storable(turn.answer)
    made = connection.execute(
        _INSERT_TURN,
        (
            number,
            position,
            question,
            asked_as,
            answer,
            retrieval_document(turn.found),
            scope_document(turn.scope),
            storable(turn.model),
            json.dumps(asdict(turn.cost)) if turn.cost else "",
            turn.abstained,
            turn.stopped,
            storable(turn.note),
        ),
    )
    said = f"{question}\n{asked_as}\n{answer}"
    searched = f"{said}\n{' '.join(bigrams(said))}"
    connection.execute("INSERT INTO turn_words (rowid, words) VALUES (?, ?)", (made.lastrowid, searched))
    connection.execute("UPDATE conversations SET changed_ms = ? WHERE id = ?", (_now_ms(), number))


def _quoted_paths(connection: sqlite3.Connection) -> set[str]:
    # Parsed in Python: a path may contain surrogates, which SQLite's JSON functions cannot return.
    found = (json.loads(document) for (document,) in connection.execute("SELECT found FROM turns"))
    return {source["path"] for one in found for source in one["sources"]}


def _remove_turns(connection: sqlite3.Connection, number: int, first: int) -> None:
    """Removes the turns from a position on, and their words from the index."""
    gone = "SELECT id FROM turns WHERE conversation_id = ? AND position >= ?"
    connection.execute(f"DELETE FROM turn_words WHERE rowid IN ({gone})", (number, first))
    connection.execute("DELETE FROM turns WHERE conversation_id = ? AND position >= ?", (number, first))


def _write_words_anew(connection: sqlite3.Connection) -> None:
    """Rebuilds the index of words, because FTS5 only marks words of removed turns as deleted, and SQLite 3.53 keeps some."""
    connection.execute("INSERT INTO turn_words (turn_words) VALUES ('rebuild')")


def _turn(
    question: str,
    asked_as: str,
    answer: str,
    found: str,
    scope: str,
    model: str,
    cost: str,
    abstained: int,
    stopped: int,
    note: str,
) -> Turn:
    return Turn(
        question,
        asked_as,
        answer,
        retrieval_of(found),
        scope_of(scope),
        model,
        Cost(**json.loads(cost)) if cost else None,
        bool(abstained),
        bool(stopped),
        note,
    )
