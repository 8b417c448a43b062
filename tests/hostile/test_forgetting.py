"""What was forgotten is gone, whatever became of its path, whenever the forgetting ended, and whoever was reading."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from noderag_local.config import Settings
from noderag_local.domain.errors import NotFound
from noderag_local.storage.conversations.conversation_file import reading
from noderag_local.storage.conversations.conversations import Turn
from noderag_local.storage.database.store import Store
from noderag_local.vault.vault import Vault

SECRET = "Where does Quirin hide the ledger?"
TEXT = "# Diary\n\nQuirin hides the ledger under the creaking stairs of the mill.\n\nThe cellar smells of apples.\n"
WORDS = [word.encode(code) for word in ("creaking", "Quirin", "diary", "journal") for code in ("utf-8", "utf-16-le")]
METHODS = ("", "bm25", "naive")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Two plain notes and one with a secret, in a folder of its own."""
    folder = tmp_path / "notes"
    (folder / "private").mkdir(parents=True)
    (folder / "anna.md").write_text("# Anna\n\nAnna lives in Vienna. She met [[Ben]] there.\n", "utf-8")
    (folder / "ben.md").write_text("# Ben\n\nBen met Anna in Vienna on 3 May 2021.\n", "utf-8")
    (folder / "private" / "diary.md").write_text(TEXT, "utf-8")
    return folder


@pytest.fixture
def vault(tmp_path: Path, notes: Path, settings: Settings) -> Iterator[Vault]:
    # One is made by itself where indexing takes long, and would rightly have all of it.
    with Vault(tmp_path / "vault", settings.model_copy(update={"automatic_backups": False})) as opened:
        opened.index([notes])
        yield opened


def ask(vault: Vault, method: str = "bm25") -> None:
    """A conversation that quotes the diary, whose question names nothing of it."""
    found = vault.search(SECRET, method=method, budget_tokens=60)
    assert "creaking" in found.context
    vault.conversations.add(None, Turn("Where is it?", "", "Under the stairs [1].", found))


def left(folder: Path) -> list[str]:
    """Files of the vault with a word of the diary, or of its names."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(word in path.read_bytes() for word in WORDS)]


def renamed(notes: Path) -> Path:
    return (notes / "private" / "diary.md").rename(notes / "private" / "journal.md")


def renamed_and_edited(notes: Path) -> Path:
    """The passage that is quoted stands in it no more."""
    after = renamed(notes)
    after.write_text("# Diary\n\nNothing to see here.\n\nThe cellar smells of apples.\n", "utf-8")
    return after


def renamed_and_its_heading_kept(notes: Path) -> Path:
    after = renamed(notes)
    after.write_text("# Diary\n\nNothing to see here.\n", "utf-8")
    return after


def moved_and_rewritten(notes: Path) -> Path:
    (notes / "diary.md").write_text("Nothing to see here.\n", "utf-8")
    (notes / "private" / "diary.md").unlink()
    return notes / "diary.md"


def deleted(notes: Path) -> Path:
    (notes / "private" / "diary.md").unlink()
    return notes / "private" / "diary.md"


@pytest.mark.parametrize(
    "change",
    [renamed, renamed_and_edited, renamed_and_its_heading_kept, moved_and_rewritten, deleted],
    ids=lambda change: change.__name__,
)
def test_a_conversation_goes_with_the_note_that_it_quotes_whatever_became_of_the_path(
    vault: Vault, notes: Path, change: Callable[[Path], Path]
) -> None:
    ask(vault)
    place = change(notes)
    vault.index([notes])
    assert vault.safety.conversations_quoting([place])
    report = vault.forget([place])
    assert (report.conversations, report.has_traces) == (1, False)
    assert vault.conversations.all() == []
    assert left(vault.folder) == []


@pytest.mark.parametrize("method", METHODS)
def test_whatever_the_method_was(vault: Vault, notes: Path, method: str) -> None:
    ask(vault, method)
    renamed(notes)
    vault.index([notes])
    assert vault.forget([notes / "private" / "journal.md"]).conversations == 1
    assert left(vault.folder) == []


@pytest.mark.parametrize("named", ["private/diary.md", "private/journal.md", "private"])
def test_a_note_that_was_renamed_and_then_deleted_is_known_by_each_of_its_paths(
    vault: Vault, notes: Path, named: str
) -> None:
    ask(vault)
    after = renamed(notes)
    vault.index([notes])
    after.unlink()
    vault.index([notes])
    assert vault.forget([notes / named]).conversations == 1
    assert left(vault.folder) == []


def test_an_answer_that_is_kept_after_the_note_was_renamed_is_known_too(vault: Vault, notes: Path) -> None:
    found = vault.search(SECRET, method="bm25", budget_tokens=60)
    after = renamed(notes)
    vault.index([notes])
    vault.conversations.add(None, Turn("Where is it?", "", "Under the stairs [1].", found))
    after.write_text("Nothing to see here.\n", "utf-8")
    vault.index([notes])
    after.unlink()
    vault.index([notes])
    assert vault.forget([after]).conversations == 1


def test_a_copy_under_another_name_is_known_by_its_words(vault: Vault, notes: Path) -> None:
    ask(vault)
    deleted(notes)
    vault.index([notes])
    (notes / "other.md").write_text(
        "# Other\n\nThey say that Quirin hides the ledger under the creaking stairs.\n", "utf-8"
    )
    vault.index([notes])
    assert vault.forget([notes / "other.md"]).conversations == 1


def test_a_line_that_other_notes_have_too_costs_no_conversation(vault: Vault, notes: Path) -> None:
    line = "What went well today, and what did not go well at all?"
    for name in ("monday", "tuesday"):
        (notes / f"{name}.md").write_text(f"# {name}\n\n{line}\n\nOn {name} it was {name}.\n", "utf-8")
    vault.index([notes])
    found = vault.search("On monday it was", method="bm25", budget_tokens=60)
    sources = tuple(source for source in found.sources if "monday" in source.path)
    kept = Turn("And?", "", line, type(found)(**{**fields(found), "sources": sources, "context": line}))
    vault.conversations.add(None, kept)
    assert vault.forget([notes / "tuesday.md"]).conversations == 0
    assert vault.forget([notes / "monday.md"]).conversations == 1


def fields(found: object) -> dict[str, object]:
    return {name: getattr(found, name) for name in found.__slots__}


def test_conversations_of_the_first_format_open_and_are_known_by_their_paths(vault: Vault, notes: Path) -> None:
    ask(vault)
    connection = sqlite3.connect(vault.conversations.path)
    with connection:
        for table in ("later_paths", "traces_left", "_draft"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert vault.conversations.later_paths() == set()
    assert not vault.conversations.has_traces
    deleted(notes)
    vault.index([notes])
    assert vault.forget([notes / "private" / "diary.md"]).conversations == 1
    assert left(vault.folder) == []


def test_the_old_path_of_a_note_that_is_still_there_leads_to_it(vault: Vault, notes: Path) -> None:
    ask(vault)
    after = renamed(notes)
    vault.index([notes])
    with pytest.raises(NotFound, match=str(after)):
        vault.forget([notes / "private" / "diary.md"])
    assert len(vault.conversations.all()) == 1


def test_conversations_alone_are_not_deleted_unasked(vault: Vault, notes: Path) -> None:
    ask(vault)
    diary = deleted(notes)
    vault.index([notes])
    vault.close()
    asked = noderag(vault, "forget", diary)
    assert (asked.returncode, len(vault.conversations.all())) == (2, 1)
    assert noderag(vault, "forget", diary, "--yes").returncode == 0
    assert vault.conversations.all() == []


def test_what_lies_nowhere_is_still_refused(vault: Vault, notes: Path) -> None:
    ask(vault)
    with pytest.raises(NotFound):
        vault.forget([notes / "private" / "dairy.md"])
    with pytest.raises(NotFound):
        vault.forget([deleted(notes).with_name("none")], keep_conversations=True)


KILLED = """
import os, signal, sys
from pathlib import Path
from noderag_local.pipeline import indexing as pipeline
from noderag_local.config import load_settings
from noderag_local.pipeline.caches import Caches
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.store import Store
from noderag_local.ingest.sync import forgetting as forgotten
from noderag_local.vault.vault import Vault

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

where = {
    "before the conversations": (Conversations, "delete_all"),
    "before the files": (forgotten, "forget"),
    "before the linking": (pipeline, "build_instant_graph"),
    "before the caches": (Caches, "forget"),
    "before the last caches": (Caches, "_save_vectors"),
    "before the conversations are clean": (Conversations, "clear_traces"),
    "before the vault is clean": (Store, "clear_traces"),
    "before the checkpoint": (Store, "_write_anew"),
}
setattr(*where[sys.argv[3]], die)
Vault(Path(sys.argv[1]), load_settings(models_dir="none")).forget([Path(sys.argv[2])])
"""
INSTANTS = [line.split('"')[1] for line in KILLED.splitlines() if line.startswith('    "before')]
COMMANDS = {
    "before the conversations": ["stats"],
    "before the files": ["search", "Where is Anna?", "--method", "bm25"],
    "before the linking": ["forget", "DIARY", "--yes"],
    "before the caches": ["search", "Where is Anna?", "--method", "bm25"],
    "before the last caches": ["stats"],
    "before the conversations are clean": ["names", "list"],
    "before the vault is clean": ["backup"],
    "before the checkpoint": ["index", "NOTES"],
}


def noderag(vault: Vault, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "noderag_local", *map(str, words), "--vault", str(vault.folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("instant", INSTANTS)
def test_a_forgetting_that_was_killed_is_found_and_finished_by_the_next_command(
    vault: Vault, notes: Path, instant: str
) -> None:
    ask(vault)
    vault.close()
    diary = notes / "private" / "diary.md"
    killed = subprocess.run([sys.executable, "-c", KILLED, vault.folder, diary, instant], check=False)
    assert killed.returncode < 0
    assert vault.safety.unfinished_forgetting()
    next_one = {"DIARY": str(diary), "NOTES": str(notes)}
    done = noderag(vault, *(next_one.get(word, word) for word in COMMANDS[instant]))
    assert done.returncode == 0, done.stderr
    assert "`noderag forget` was interrupted" in " ".join(done.stderr.split())
    assert vault.safety.unfinished_forgetting() == ()
    assert vault.conversations.all() == []
    vault.close()
    # The path of the notes' folder, which the command was given, is no secret.
    assert left(vault.folder) == []


def test_doctor_finds_it(vault: Vault, notes: Path) -> None:
    vault.close()
    diary = notes / "private" / "diary.md"
    subprocess.run([sys.executable, "-c", KILLED, vault.folder, diary, "before the checkpoint"], check=False)
    told = " ".join(noderag(vault, "doctor").stdout.split())
    assert "NOT forgetting: one is unfinished." in told
    assert "vault.sqlite" in told
    noderag(vault, "stats")
    assert "ok forgetting" in " ".join(noderag(vault, "doctor").stdout.split())


@pytest.fixture
def open_reader(vault: Vault) -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Begins to read a database in another process, and goes on until it is killed."""
    script = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\nc.execute('BEGIN')\n"
    script += (
        "c.execute('SELECT count(*) FROM sqlite_master').fetchone()\nprint('reading', flush=True)\nsys.stdin.read()\n"
    )
    readers: list[subprocess.Popen[str]] = []

    def begin(path: Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", script, str(path)]
        readers.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert readers[-1].stdout is not None
        readers[-1].stdout.readline()
        return readers[-1]

    yield begin
    for reader in readers:
        reader.kill()
        reader.wait()
        assert reader.stdin is not None and reader.stdout is not None
        reader.stdin.close()
        reader.stdout.close()


@pytest.mark.parametrize("name", ["conversations.sqlite", "vault.sqlite"])
def test_an_open_reader_is_told_and_the_next_command_finishes(
    vault: Vault, notes: Path, name: str, open_reader: Callable[[Path], subprocess.Popen[str]]
) -> None:
    ask(vault)
    vault.close()
    reader = open_reader(vault.folder / name)
    report = noderag(vault, "forget", notes / "private" / "diary.md", "--yes")
    said = " ".join(report.stdout.split())
    assert report.returncode == 4
    assert f"{name}-wal" in said
    if Path("/proc").is_dir():
        assert f"process {reader.pid}" in said
    assert [Path(one.path).name for one in vault.safety.unfinished_forgetting()] == [name]
    again = noderag(vault, "stats")
    assert again.returncode == 0
    assert f"{name}-wal" in again.stderr
    reader.kill()
    reader.wait()
    assert noderag(vault, "stats").returncode == 0
    assert vault.safety.unfinished_forgetting() == ()
    assert left(vault.folder) == []


def test_a_conversation_that_is_deleted_while_another_program_reads_is_cleared_later(
    vault: Vault, open_reader: Callable[[Path], subprocess.Popen[str]]
) -> None:
    ask(vault)
    reader = open_reader(vault.conversations.path)
    (one,) = vault.conversations.all()
    vault.conversations.delete(one.id)
    assert vault.conversations.has_traces
    assert vault.safety.unfinished_forgetting()
    reader.kill()
    reader.wait()
    vault.safety.finish_forgetting()
    assert not any(b"creaking" in path.read_bytes() for path in vault.folder.glob("conversations*"))


def test_backups_that_were_to_be_renewed_are_renewed_by_the_next_command(vault: Vault, notes: Path) -> None:
    vault.safety.back_up()
    vault.close()
    script = KILLED.replace("Path(sys.argv[2])]", "Path(sys.argv[2])], renew_backups=True")
    diary = notes / "private" / "diary.md"
    subprocess.run([sys.executable, "-c", script, vault.folder, diary, "before the vault is clean"], check=False)
    assert any(b"creaking" in path.read_bytes() for path in vault.folder.glob("backups/*/*"))
    assert noderag(vault, "stats").returncode == 0
    assert left(vault.folder) == []
    assert len(list((vault.folder / "backups").iterdir())) == 1


def test_forgetting_again_is_no_error_and_sweeps_what_a_deletion_left(vault: Vault, notes: Path) -> None:
    from noderag_local.storage.graph.llm_cache import CachedText, LlmCache

    diary = deleted(notes)
    ask(vault)
    vault.index([notes])
    vault.close()
    with Store.open(vault.folder, write=True) as store:
        LlmCache(store).put("model", "1", "hash", CachedText("Quirin | hides | ledger", 1, 1))
    assert vault.forget([diary]).documents == 0
    assert vault.forget([diary]).documents == 0
    assert left(vault.folder) == []


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_words_of_what_goes_one_by_one_leave_the_full_text_indexes(
    tmp_path: Path, settings: Settings, is_encrypted: bool
) -> None:
    """SQLite 3.53, which opens encrypted vaults, keeps them when it merges an index after most of it is gone."""
    folder, notes = tmp_path / "vault", tmp_path / "notes"
    folder.mkdir()
    notes.mkdir()
    chance = random.Random(1)
    words = [["".join(chance.choices("qxzjvkw", k=14)) for _ in range(60)] for _ in range(12)]
    for number, some in enumerate(words):
        (notes / f"{number}.md").write_text(f"In Oslo came {' '.join(some)}.\n", "utf-8")
    with Vault(folder, settings) as vault:
        if is_encrypted:
            vault.encryption.encrypt("correct horse", log2_n=14)
        vault.index([notes])
        found = vault.search("Oslo", method="bm25", budget_tokens=30)
        talks = vault.conversations
        talked = [talks.add(None, Turn(" ".join(some), "", "Nothing.", found)).id for some in words]
        for number in range(11):
            vault.forget([notes / f"{number}.md"], keep_conversations=True)
            talks.delete(talked[number])
        vault.close()
        with Store.open(folder, write=False) as store:
            blocks = store.rows("SELECT block FROM chunk_words_data UNION ALL SELECT block FROM entity_names_data")
        with reading(talks.path) as talk:
            assert talk is not None
            blocks += talk.execute("SELECT block FROM turn_words_data").fetchall()
        gone = [word[4:].encode() for some in words[:11] for word in some]
        assert not any(word in bytes(block) for (block,) in blocks for word in gone)


def test_no_name_of_a_file_that_was_moved_stays(vault: Vault, notes: Path) -> None:
    ask(vault)
    after = renamed(notes)
    vault.index([notes])
    vault.forget([after])
    vault.close()
    names = [os.fsencode(name) for name in ("diary", "journal", "private")]
    assert not [path for path in vault.folder.iterdir() if any(name in path.read_bytes() for name in names)]


def test_a_query_forgets_nothing_that_is_not_about_it_and_nothing_unasked(vault: Vault, notes: Path) -> None:
    for number in range(18):
        (notes / f"{number}.md").write_text(f"# Day {number}\n\nThe weather was fine on day {number}.\n", "utf-8")
    vault.index([notes])
    before = vault.stats().documents
    vault.close()
    query = ("forget", "--query", "Aunt Vera's illness")
    assert noderag(vault, *query, "--yes").returncode == 2
    assert noderag(vault, *query, "--yes", "--expect", "18").returncode == 2
    assert "No file is about this." in " ".join(noderag(vault, *query).stderr.split())
    assert vault.stats().documents == before
