"""Conversations are kept, found, continued, and deleted so that nothing of them stays."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Collection
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from helpers.changing_notes import index
from helpers.conversation_turns import TURN, turn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from noderag_local.domain.errors import NotFound, QuotesForgotten, StoreError
from noderag_local.domain.passages import Scope
from noderag_local.pipeline.indexing import forget
from noderag_local.storage.conversations.conversation_file import FORMAT, note_traces, writing
from noderag_local.storage.conversations.conversations import LONGEST_NAME, Conversations
from noderag_local.storage.database.connection import FILE_NAME as DATABASE
from noderag_local.storage.database.store import Store
from noderag_local.storage.forgetting.forgotten_sources import has_forgotten
from noderag_local.storage.forgetting.traces import Forgetting, note_forgetting


@pytest.fixture
def talks(tmp_path: Path) -> Conversations:
    return Conversations(tmp_path)


def names(talks: Conversations, words: str = "") -> list[str]:
    return [one.name for one in talks.search(words)]


def test_a_turn_comes_back_as_it_was_added(talks: Conversations) -> None:
    full = replace(
        TURN,
        asked_as="Who recommended the Pensão Favorita in Porto?",
        scope=Scope("trips", "porto", date(2024, 3, 1), None),
        abstained=True,
        stopped=True,
        note="The answer was stopped.",
    )
    first = talks.add(None, TURN)
    assert talks.add(first.id, full).turns == 2
    assert talks.turns(first.id) == (TURN, full)
    assert Conversations(talks.path.parent).turns(first.id) == (TURN, full)


def test_a_conversation_is_called_by_its_first_question_until_a_person_names_it(talks: Conversations) -> None:
    one = talks.add(None, turn("Who  recommended\nthe hotel?"))
    assert one.name == "Who recommended the hotel?"
    assert talks.add(one.id, turn("And when?")).name == one.name
    assert talks.replace_last(talks.add(None, turn("first")).id, turn("edited")).name == "edited"
    assert len(talks.add(None, turn("word " * 50)).name) <= LONGEST_NAME
    assert talks.rename(one.id, "  The hotel\nin Porto ").name == "The hotel in Porto"
    assert talks.get(one.id).name == "The hotel in Porto"
    assert talks.rename(one.id, " ").name == "Who recommended the hotel?"


def test_the_list_begins_with_what_was_changed_last(talks: Conversations) -> None:
    assert talks.all() == []
    before = datetime.now(UTC) - timedelta(seconds=1)
    older, newer = talks.add(None, turn("older")), talks.add(None, turn("newer"))
    assert [one.id for one in talks.all()] == [newer.id, older.id]
    assert before < older.created <= older.changed <= datetime.now(UTC)
    while talks.get(older.id).changed <= newer.changed:
        talks.add(older.id, turn("again"))
    assert [one.id for one in talks.all()] == [older.id, newer.id]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("hotel", ["Who chose the hotel?"]),
        ("HOT", ["Who chose the hotel?"]),
        ("marta hotel", ["Who chose the hotel?"]),
        ("hotel garden", []),
        ("pensao", ["Who chose the hotel?"]),
        ("老家", ["王薇的老家在哪里？"]),
        ("dishes", ["王薇的老家在哪里？"]),
        ("", ["王薇的老家在哪里？", "Who chose the hotel?"]),
        ('"(', ["王薇的老家在哪里？", "Who chose the hotel?"]),
    ],
)
def test_searching_as_one_types(talks: Conversations, words: str, found: list[str]) -> None:
    talks.add(None, turn("Who chose the hotel?", "Marta chose the Pensão. [1]"))
    chinese = talks.add(None, turn("王薇的老家在哪里？", "在成都。[1]"))
    talks.rename(chinese.id, "Dishes of Sichuan")
    shown = [name.replace("Dishes of Sichuan", "王薇的老家在哪里？") for name in names(talks, words)]
    assert shown == found


def test_a_retry_takes_the_place_of_the_last_turn(talks: Conversations) -> None:
    one = talks.add(None, turn("first"))
    talks.add(one.id, turn("second", "wrongly zanzibar"))
    assert talks.replace_last(one.id, turn("second", "rightly")).turns == 2
    assert [kept.answer for kept in talks.turns(one.id)] == ["It is so. [1]", "rightly"]
    assert names(talks, "zanzibar") == []
    assert b"zanzibar" not in talks.path.read_bytes()


def test_nothing_of_what_was_deleted_stays_in_any_file(talks: Conversations) -> None:
    secret = turn("Where is Zanzibar?", "Xanthippe knows. " * 300)
    secret = replace(secret, found=replace(secret.found, context="Quetzalcoatl " * 5000))
    kept = talks.add(None, turn("What stays?"))
    gone = talks.rename(talks.add(None, secret).id, "Ouagadougou")
    talks.add(kept.id, turn("And then?"))
    words = [b"anzibar", b"anthippe", b"uetzalcoatl", b"uagadougou"]
    assert all(word in talks.path.read_bytes() for word in words)
    talks.delete(gone.id)
    for path in talks.path.parent.iterdir():
        held = path.read_bytes().lower()
        assert not any(word in held for word in words), path
    assert names(talks) == ["What stays?"]
    talks.delete(gone.id)


def test_a_number_is_never_given_out_again(talks: Conversations) -> None:
    first = talks.add(None, TURN)
    talks.delete(first.id)
    assert talks.add(None, TURN).id != first.id
    for call in (talks.get, talks.turns, lambda number: talks.add(number, TURN), lambda n: talks.rename(n, "x")):
        with pytest.raises(NotFound, match="deleted"):
            call(first.id)


def test_looking_makes_no_file(talks: Conversations) -> None:
    assert talks.all() == talks.search("words") == []
    talks.delete(1)
    with pytest.raises(NotFound, match="no conversations yet"):
        talks.turns(1)
    assert not talks.path.exists()


def test_only_its_owner_may_read_it(talks: Conversations) -> None:
    before = os.umask(0)
    try:
        talks.add(None, TURN)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in talks.path.parent.iterdir()] == [0o600]


def test_it_is_written_while_something_has_the_vault_s_lock(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store, store.transaction():
        assert Conversations(tmp_path).add(None, TURN).turns == 1


def test_many_threads_add_and_none_loses_a_turn(talks: Conversations) -> None:
    number = talks.add(None, TURN).id
    threads = [threading.Thread(target=lambda: [talks.add(number, TURN) for _ in range(5)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert talks.get(number).turns == 21


def test_a_kill_in_the_middle_loses_only_what_was_not_kept(talks: Conversations) -> None:
    number = talks.add(None, TURN).id
    code = (
        "import os, sys; from pathlib import Path; from noderag_local.storage.conversations.conversation_file import writing\n"
        f"with writing(Path({str(talks.path)!r})) as connection:\n"
        "    connection.execute('DELETE FROM turns'); connection.execute('DELETE FROM turn_words'); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 9
    assert talks.turns(number) == (TURN,)
    assert talks.add(number, TURN).turns == 2


def test_a_file_of_something_else_is_left_alone(talks: Conversations) -> None:
    with sqlite3.connect(talks.path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = talks.path.read_bytes()
    for call in (talks.all, lambda: talks.add(None, TURN)):
        with pytest.raises(StoreError, match="another program"):
            call()
    assert before == talks.path.read_bytes()


def test_what_cannot_be_used_is_named(talks: Conversations, tmp_path: Path) -> None:
    talks.path.write_bytes(b"no database at all " * 100)
    with pytest.raises(StoreError, match=r"conversations\.sqlite.*move it away"):
        talks.all()
    with pytest.raises(StoreError, match="missing"):
        Conversations(tmp_path / "missing").add(None, TURN)


def test_a_newer_format_is_refused(talks: Conversations) -> None:
    talks.add(None, TURN)
    with sqlite3.connect(talks.path) as newer:
        newer.execute(f"PRAGMA user_version = {FORMAT + 1}")
    newer.close()
    with pytest.raises(StoreError, match="newer version"):
        talks.all()


def test_one_draft_is_kept_until_it_is_empty(tmp_path: Path) -> None:
    kept = Conversations(tmp_path)
    kept.keep_draft("")
    assert not kept.path.exists(), "nothing is made for nothing"
    for text in ("When does", "When does the lease end?\nAnd \ud800 the other?", "Where?"):
        kept.keep_draft(text)
    assert Conversations(tmp_path).draft() == "Where?"
    kept.keep_draft("")
    assert kept.draft() == ""
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"When does" not in content and b"Where?" not in content


def test_a_file_of_an_older_version_has_no_draft_and_takes_one(tmp_path: Path) -> None:
    kept = Conversations(tmp_path)
    kept.add(None, TURN)
    with closing(sqlite3.connect(kept.path)) as older:
        older.execute("DROP TABLE _draft")
        older.execute("PRAGMA user_version = 2")
    assert kept.draft() == ""
    kept.keep_draft("When does the lease end?")
    assert kept.draft() == "When does the lease end?" and kept.turns(1) == (TURN,)


anything = some.text(some.characters(codec=None, categories=None), max_size=40)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=anything, answer=anything, path=anything, words=anything)
def test_no_text_breaks_it(talks: Conversations, question: str, answer: str, path: str, words: str) -> None:
    said = turn(question, answer)
    said = replace(said, found=replace(said.found, sources=(replace(said.found.sources[0], path=path),)))
    number = talks.add(None, said).id
    (kept,) = talks.turns(number)
    assert kept.found == said.found
    assert len(kept.question) == len(question) and len(kept.answer) == len(answer)
    assert isinstance(talks.search(words), list)
    talks.delete(number)


def test_what_is_cleared_does_not_take_the_mark_of_what_is_deleted_meanwhile(talks: Conversations) -> None:
    """Clearing removes the marks up to the last one it saw, so no mark may come before one that was there."""
    talks.add(None, TURN)
    with writing(talks.path) as connection:
        for _ in range(3):
            note_traces(connection)
        connection.execute("DELETE FROM traces_left WHERE since_ms = (SELECT min(since_ms) FROM traces_left)")
        note_traces(connection)
        marks = [mark for (mark,) in connection.execute("SELECT since_ms FROM traces_left ORDER BY rowid")]
    assert marks == sorted(set(marks)) and len(marks) == 3


def test_an_answer_that_quotes_what_was_forgotten_meanwhile_is_not_stored(tmp_path: Path) -> None:
    note, vault = tmp_path / "notes/porto.md", tmp_path / "vault"
    note.parent.mkdir()
    note.write_text("Marta recommended the Pensão Favorita.\n", encoding="utf-8")
    pending = replace(TURN, found=replace(TURN.found, sources=(replace(TURN.found.sources[0], path=str(note)),)))
    talks = Conversations(vault, partial(has_forgotten, vault))
    with Store.open(vault, write=True) as store:
        index(store, note.parent)
        forget(store, [note], lambda _: None, lambda: False)
        kept = talks.add(None, TURN).id
        for keep in (partial(talks.add, None), partial(talks.add, kept), partial(talks.replace_last, kept)):
            with pytest.raises(QuotesForgotten):
                keep(pending)
        assert [talks.turns(one.id) for one in talks.all()] == [(TURN,)]
        index(store, note)
        assert talks.add(kept, pending).turns == 2


def test_an_answer_that_quotes_what_is_about_to_be_forgotten_is_not_stored(tmp_path: Path) -> None:
    talks = Conversations(tmp_path, partial(has_forgotten, tmp_path))
    with Store.open(tmp_path, write=True) as store:
        for is_with_conversations in (True, False):
            note_forgetting(store, Forgetting(("/notes/trips",), conversations=is_with_conversations))
            with pytest.raises(QuotesForgotten):
                talks.add(None, TURN)


def test_an_answer_that_is_being_stored_when_a_forgetting_begins_is_deleted(tmp_path: Path) -> None:
    note, vault = tmp_path / "notes/porto.md", tmp_path / "vault"
    note.parent.mkdir()
    note.write_text("Marta recommended the Pensão Favorita.\n", encoding="utf-8")
    pending = replace(TURN, found=replace(TURN.found, sources=(replace(TURN.found.sources[0], path=str(note)),)))
    with Store.open(vault, write=True) as store:
        index(store, note.parent)

    def forgets() -> None:
        with Store.open(vault, write=True) as store:
            forget(store, [note], lambda _: None, lambda: False)

    forgetting = threading.Thread(target=forgets)

    def begun_after_the_check(paths: Collection[str]) -> bool:
        is_forgotten = has_forgotten(vault, paths)
        forgetting.start()
        # Long enough to read which conversations quote the note.
        forgetting.join(1)
        return is_forgotten

    Conversations(vault, begun_after_the_check).add(None, pending)
    forgetting.join()
    assert Conversations(vault).all() == []


def test_an_answer_is_not_stored_where_nobody_knows_what_was_forgotten(tmp_path: Path) -> None:
    talks = Conversations(tmp_path, partial(has_forgotten, tmp_path))
    assert talks.add(None, TURN).turns == 1, "there is no vault yet"
    (tmp_path / DATABASE).write_text("No vault at all. " * 100, encoding="utf-8")
    with pytest.raises(StoreError):
        talks.add(None, TURN)
