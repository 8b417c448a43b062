"""The ground moves: clocks jump, files change under the reader, and folders may be read but not written to."""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from noderag_local.config import Settings
from noderag_local.domain.documents import Skipped
from noderag_local.domain.errors import StoreError
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.scan.scan import scan
from noderag_local.ingest.sync.read_files import NOT_AT_REST, Wanted, read_drafts
from noderag_local.vault.vault import Vault

MOST_BYTES = 1 << 24
DEADLINE_SECONDS = 120

YEARS = {
    "before 1970": datetime.datetime(1901, 12, 13, tzinfo=datetime.UTC),
    "1970": datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC),
    "the last second of 32 bits": datetime.datetime(2038, 1, 19, 3, 14, 8, tzinfo=datetime.UTC),
    "of unsigned 32 bits": datetime.datetime(2106, 2, 7, 6, 28, 16, tzinfo=datetime.UTC),
    "far ahead": datetime.datetime(2400, 1, 1, tzinfo=datetime.UTC),
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Bob\n\nBob went home to Paris.\n", encoding="utf-8")
    (folder / "b.md").write_text("# Eve\n\nEve lives in Rome.\n", encoding="utf-8")
    return folder


@pytest.fixture
def vault(tmp_path: Path, settings: Settings) -> Iterator[Vault]:
    with Vault(tmp_path / "vault", settings) as opened:
        yield opened


def set_time(path: Path, moment: datetime.datetime) -> None:
    seconds = int(moment.timestamp())
    try:
        os.utime(path, (seconds, seconds))
    except OSError:
        pytest.skip("the file system knows no such year")
    if int(path.stat().st_mtime) != seconds:
        pytest.skip("the file system knows no such year")


@pytest.mark.parametrize("moment", YEARS.values(), ids=YEARS)
def test_a_note_of_any_year_is_indexed_found_and_not_read_again(
    moment: datetime.datetime, notes: Path, vault: Vault
) -> None:
    set_time(notes / "a.md", moment)
    assert vault.index([notes]).added == 2
    assert vault.index([notes]).unchanged == 2
    assert any(source.path == str(notes / "a.md") for source in vault.search("Where did Bob go?").sources)
    assert vault.atlas.library().within(str(notes))
    vault.exchange.write_archive(vault.folder.parent / "v.jsonl")
    vault.safety.back_up(None)


@pytest.mark.parametrize("moment", YEARS.values(), ids=YEARS)
def test_a_change_that_sets_the_time_back_or_ahead_is_seen(
    moment: datetime.datetime, notes: Path, vault: Vault
) -> None:
    vault.index([notes])
    (notes / "a.md").write_text("# Bob\n\nBob went home to Lisbon.\n", encoding="utf-8")
    set_time(notes / "a.md", moment)
    assert vault.index([notes]).changed == 1
    assert "Lisbon" in vault.search("Where did Bob go?").context


JUMPING = """
import datetime, sys, time
sys.path[:0] = {paths!r}
real, jumps = time.time, iter({jumps!r} * 100000)
real_ns, offset = time.time_ns, 0.0
def jumped():
    global offset
    offset = next(jumps)
    return offset
time.time = lambda: real() + jumped()
time.time_ns = lambda: real_ns() + int(jumped() * 1e9)
class Moved(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(real() + jumped(), tz)
    @classmethod
    def utcnow(cls):
        return cls.now(datetime.UTC).replace(tzinfo=None)
datetime.datetime = Moved
from noderag_local.interfaces.cli.run_command import run
for words in {commands!r}:
    code = run(words)
    if code:
        sys.exit(code)
"""
"""Runs `noderag` with a clock that is at another time whenever it is asked."""

DECADE = 10 * 365 * 86400.0
JUMPS = {
    "set back between commands": [-DECADE],
    "set ahead between commands": [DECADE * 5],
    "back and forth within": [0.0, -DECADE, DECADE, -86400.0, 3600.0],
}


@pytest.mark.parametrize("jumps", JUMPS.values(), ids=JUMPS)
def test_a_clock_that_jumps_loses_nothing(jumps: list[float], notes: Path, tmp_path: Path, settings: Settings) -> None:
    folder = ["--vault", str(tmp_path / "vault")]
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([notes])
        vault.safety.back_up(None)
    (notes / "a.md").write_text("# Bob\n\nBob went home to Lisbon.\n", encoding="utf-8")
    commands = [["index", str(notes), *folder], ["backup", *folder], ["search", "Where did Bob go?", *folder]]
    commands += [["stats", *folder], ["backup", *folder], ["doctor", *folder]]
    script = JUMPING.format(paths=[p for p in sys.path if p], jumps=jumps, commands=commands)
    ended = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
        # Work that takes long on a busy machine would make a backup by itself.
        env={**os.environ, "NODERAG_MODELS_DIR": str(tmp_path / "none"), "NODERAG_AUTOMATIC_BACKUPS": "false"},
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "Lisbon" in ended.stdout
    with Vault(tmp_path / "vault", settings) as vault:
        # Whatever the clock said, the newest is the one that was made last.
        newest = vault.safety.backups()[0]
        assert len(vault.safety.backups()) == 3
        vault.safety.restore(newest.folder)
    with Vault(tmp_path / "vault", settings) as vault:
        assert "Lisbon" in vault.search("Where did Bob go?").context
        assert vault.index([notes]).unchanged == 2


def grows(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n\nCanary stood at the end.\n")


def shrinks(path: Path) -> None:
    os.truncate(path, 1000)


def is_rewritten(path: Path) -> None:
    """In its place, as long as it was."""
    before = path.stat()
    with path.open("r+b") as file:
        file.write(b"Canary" * 1000)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))


def is_replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"Canary was here.\n\n" * 1000)
    os.replace(other, path)


def goes(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("happens", [grows, shrinks, is_rewritten, is_replaced, goes])
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.jsonl", "a.csv"])
def test_a_file_that_changes_while_it_is_read_is_left_for_the_next_time(
    happens: Callable[[Path], None], name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    line = '{"text": "Bob went home to Paris."}\n' if name.endswith(".jsonl") else "Bob, went home to Paris.\n\n"
    path.write_text(line * 20_000, encoding="utf-8")
    (file,) = scan([path], MOST_BYTES).files
    found: list[Draft | Skipped] = []
    for one in read_drafts(Wanted(file, part_bytes=100_000)):
        if not found:
            happens(path)
        found.append(one)
    assert isinstance(found[-1], Skipped)
    assert found[-1].reason == NOT_AT_REST
    assert found[-1].is_error


def test_files_that_change_all_the_time_end_an_index_in_order(notes: Path, vault: Vault) -> None:
    ended = threading.Event()
    busy = notes / "busy.md"
    busy.write_text("Carol begins.\n", encoding="utf-8")

    def writing() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            busy.write_text(f"# Carol\n\nCarol counts to {number}.\n\n" * (number % 50 + 1), encoding="utf-8")
            with busy.open("a", encoding="utf-8") as file:
                file.write("Carol adds a line.\n")
            time.sleep(0.0005)

    writer = threading.Thread(target=writing)
    writer.start()
    try:
        reports = [vault.index([notes]) for _ in range(2)]
    finally:
        ended.set()
        writer.join()
    assert {skipped.reason for report in reports for skipped in report.skipped} <= {NOT_AT_REST, "vanished", "empty"}
    assert "Paris" in vault.search("Where did Bob go?").context
    busy.write_text("# Carol\n\nCarol rests in Vienna.\n", encoding="utf-8")
    vault.index([notes])
    assert "Vienna" in vault.search("Where does Carol rest?").context


def test_a_file_of_the_same_size_and_time_is_not_mixed_with_the_one_before(notes: Path, vault: Vault) -> None:
    path = notes / "a.md"
    before = path.stat()
    vault.index([notes])
    path.write_text("# Bob\n\nBob went home to Seoul.\n", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    vault.index([notes])
    # Whoever sets a file's time back hides the change; what is answered is one of the two, whole.
    context = vault.search("Where did Bob go?").context
    assert ("Paris" in context) != ("Seoul" in context)


READ_ONLY = """
import sys
sys.path[:0] = {paths!r}
from noderag_local.interfaces.cli.run_command import run
for words, wanted in {commands!r}:
    code = run(words)
    if code != wanted:
        print(f"{{words}} ended with {{code}}", file=sys.stderr)
        sys.exit(1)
"""


WITHOUT_POWERS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""In front of a command: root, for whom the modes of files hold as for everybody."""


def without_powers(commands: list[tuple[list[str], int]], tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Runs `noderag` as somebody who is not above the modes of files; (words, wanted exit code)."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root is above the modes of files")
    script = READ_ONLY.format(paths=[p for p in sys.path if p], commands=commands)
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "NODERAG_MODELS_DIR": str(tmp_path)}
    return subprocess.run(
        [*(WITHOUT_POWERS if os.geteuid() == 0 else []), sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
        env={**os.environ, **home},
    )


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_vault_that_may_only_be_read_answers_and_refuses_to_write(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "vault"
    with Vault(folder, settings) as vault:
        vault.index([notes])
        vault.search("Bob")
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    folder.chmod(0o555)
    before = tree(folder)
    there = ["--vault", str(folder)]
    done = without_powers(
        [
            (["search", "Where did Bob go?", *there], 0),
            (["ask", "Where did Bob go?", *there], 0),
            (["stats", *there], 0),
            (["index", str(notes), *there], 4),
            (["forget", str(notes), "--yes", *there], 4),
            (["backup", *there], 4),
        ],
        tmp_path,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Paris" in done.stdout
    assert "Traceback" not in done.stderr
    assert tree(folder) == before


def test_notes_that_may_only_be_read_are_indexed_and_not_touched(notes: Path, tmp_path: Path) -> None:
    times = {path: path.stat().st_mtime_ns for path in notes.iterdir()}
    (tmp_path / "own").mkdir(mode=0o777)
    (tmp_path / "own").chmod(0o777)
    notes.chmod(0o555)
    there = ["--vault", str(tmp_path / "own" / "vault")]
    done = without_powers([(["index", str(notes), *there], 0), (["search", "Where did Bob go?", *there], 0)], tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Paris" in done.stdout
    assert {path: path.stat().st_mtime_ns for path in notes.iterdir()} == times


def test_a_place_where_nothing_may_be_made_is_told(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o555)
    there = ["--vault", str(tmp_path / "closed" / "vault")]
    done = without_powers([(["index", str(notes), *there], 4)], tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert str(tmp_path / "closed") in done.stderr
    assert list((tmp_path / "closed").iterdir()) == []


def test_a_disk_that_is_mounted_for_reading_only_serves_and_refuses(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "vault"
    with Vault(folder, settings) as vault:
        vault.index([notes])
    bound = subprocess.run(["mount", "--bind", str(folder), str(folder)], check=False, capture_output=True)
    if bound.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        with Vault(folder, settings) as vault:
            assert "Paris" in vault.search("Where did Bob go?").context
            with pytest.raises(StoreError):
                vault.index([notes])
            with pytest.raises(StoreError):
                vault.safety.back_up(None)
            with pytest.raises(StoreError):
                vault.encryption.encrypt("three blind mice", log2_n=4)
    finally:
        subprocess.run(["umount", str(folder)], check=True)
    with Vault(folder, settings) as vault:
        assert vault.index([notes]).unchanged == 2
