"""`noderag index`: from a folder to a vault, and what it says about it."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from helpers.command_line import Noderag
from helpers.unreachable import make_unreachable

from noderag_local.domain.documents import Skipped
from noderag_local.domain.progress import IndexReport, StageTime
from noderag_local.interfaces.cli.notes.index_command import ERRORS_SHOWN, print_report


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ann.md").write_text("# Ann\n\nAnn Lee lives in Oslo with [[Bob]].\n", encoding="utf-8")
    (folder / "bob.md").write_text("# Bob\n\nBob builds boats in Bergen.\n", encoding="utf-8")
    return folder


def test_a_folder_is_indexed_and_then_only_what_changed(noderag: Noderag, notes: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    first = noderag("index", notes, "--vault", vault)
    assert (first.code, first.out.splitlines()[0]) == (0, "2 documents added.")
    assert "embedding" in first.err
    again = noderag("index", notes, "--vault", vault)
    assert again.out.splitlines()[0] == "0 documents added, 2 files unchanged."
    (notes / "bob.md").write_text("# Bob\n\nBob has moved to Tromsø.\n", encoding="utf-8")
    (notes / "ann.md").unlink()
    changed = noderag("index", notes, "--vault", vault, "--json").document
    assert (changed["added"], changed["changed"], changed["removed"], changed["unchanged"]) == (1, 1, 2, 0)
    assert changed["vault"] == str(vault)
    assert "Tromsø" in noderag("search", "Where is Bob?", "--vault", vault).out
    assert "Oslo" not in noderag("search", "Where is Ann Lee?", "--vault", vault).out


def test_without_a_path_everything_is_brought_up_to_date(noderag: Noderag, notes: Path, tmp_path: Path) -> None:
    vault, facts, gone = tmp_path / "vault", tmp_path / "facts.txt", tmp_path / "gone.md"
    assert noderag("index", "--vault", vault).code == 4, "there is no vault yet"
    facts.write_text("Ferns grow.\nMoss waits.\n", encoding="utf-8")
    gone.write_text("# Gone\n\nIt rained.\n", encoding="utf-8")
    assert noderag("index", notes, gone, "--vault", vault).code == 0
    assert noderag("index", facts, "--lines", "--vault", vault).code == 0
    gone.unlink()
    (notes / "eve.md").write_text("# Eve\n\nEve sings.\n", encoding="utf-8")
    facts.write_text("Ferns grow.\nMoss waits.\nSalt dries.\n", encoding="utf-8")
    done = noderag("index", "--vault", vault, "--json")
    assert [run["added"] for run in done.document["runs"]] == [1, 1]
    assert "gone.md is not there, and what was read of it is left as it is" in " ".join(done.err.split())
    assert noderag("stats", "--vault", vault, "--json").document["documents"] == 7
    told = noderag("index", "--vault", vault)
    assert told.code == 0 and told.out.count("0 documents added") == 2
    make_unreachable(gone)
    told = noderag("index", "--vault", vault)
    assert told.code == 0 and "gone.md is not there" in " ".join(told.err.split())


def test_lines_as_documents(noderag: Noderag, tmp_path: Path) -> None:
    facts = tmp_path / "facts.txt"
    facts.write_text("The heron is a bird.\nThe pike is a fish.\n", encoding="utf-8")
    assert noderag("index", facts, "--lines", "--vault", tmp_path / "v", "--json").document["added"] == 2


def test_a_path_that_is_not_there(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("index", tmp_path / "nowhere", "--vault", tmp_path / "v")
    assert done.code == 3
    assert "nowhere" in done.err
    assert noderag("index", tmp_path / "nowhere", "--vault", tmp_path / "v", "--json").document["error"]["type"]


def test_a_named_file_that_cannot_be_read_is_exit_code_3(noderag: Noderag, notes: Path, tmp_path: Path) -> None:
    broken, records = notes / "broken.md", notes / "records.jsonl"
    broken.write_bytes(b"\x00\x01\x02" * 500)
    records.write_text('{"title": "Good", "text": "A good record."}\n{"title": \n', encoding="utf-8")
    done = noderag("index", broken, "--vault", tmp_path / "v")
    assert done.code == 3 and "broken.md" in done.err
    assert noderag("index", notes / ".." / notes.name / broken.name, "--vault", tmp_path / "v").code == 3
    assert noderag("index", notes, "--vault", tmp_path / "v").code == 0, "the folder was read"
    assert noderag("index", notes, broken, "--vault", tmp_path / "v").code == 3
    assert noderag("index", records, "--vault", tmp_path / "v").code == 0, "one record of it was read"


def test_broken_files_are_told_and_the_rest_is_indexed(noderag: Noderag, notes: Path, tmp_path: Path) -> None:
    (notes / "picture.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    (notes / "records.jsonl").write_text('{"title": "Good", "text": "A good record."}\n{"title": \n', encoding="utf-8")
    (notes / ".hidden").mkdir()
    done = noderag("index", notes, "--vault", tmp_path / "v")
    assert done.code == 0
    assert "3 documents added" in done.out
    assert re.search(r"Left out: .*1 hidden", done.out)
    assert "picture.md" in done.err
    assert "records.jsonl" in done.err


def test_a_flood_of_errors_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    broken = tuple(Skipped(f"/notes/{n}.md", "unreadable", "Mend it.", is_error=True) for n in range(ERRORS_SHOWN + 5))
    print_report(IndexReport(3, 0, 0, 0, 0, broken, stopped=False, stages=(), elapsed_seconds=1.0))
    told = capsys.readouterr()
    assert "Left out: 25 unreadable." in told.out
    assert len(told.err.splitlines()) == ERRORS_SHOWN + 1
    assert told.err.endswith("and 5 more errors; --json lists them all.\n")


def test_a_report_that_was_stopped_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    stages = (StageTime("reading", 2.0), StageTime("embedding", 61.0))
    print_report(IndexReport(3, 0, 0, 0, 0, (), stopped=True, stages=stages, elapsed_seconds=63.0))
    assert capsys.readouterr().out.splitlines() == [
        "3 documents added.",
        "1 min 03 s: reading 2 s, embedding 1 min 01 s.",
        "What was done is kept; run the same command to continue.",
    ]


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(noderag: Noderag, tmp_path: Path) -> None:
    facts = tmp_path / "facts.txt"
    lines = [f"Number {n} of the list is kept by Keeper {n % 97} in House {n % 31}." for n in range(4000)]
    facts.write_text("\n".join(lines), encoding="utf-8")
    words = ["index", str(facts), "--lines", "--vault", str(tmp_path / "v")]
    process = subprocess.Popen(
        [sys.executable, "-m", "noderag_local", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    while not process.stderr.readline().startswith("reading: "):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Ctrl-C again stops at once" in err
    assert "What was done is kept; run the same command to continue." in out
    assert "Traceback" not in err
    assert noderag("stats", "--vault", tmp_path / "v", "--json").document["documents"] == 4000


def test_files_that_an_older_version_has_read_are_announced(noderag: Noderag, tmp_path: Path) -> None:
    notes, vault = tmp_path / "notes", tmp_path / "vault"
    notes.mkdir()
    (notes / "a.md").write_text("# Bob\n\nHe sings.\n", encoding="utf-8")
    assert "read again" not in noderag("index", notes, "--vault", vault).err
    with closing(sqlite3.connect(vault / "vault.sqlite")) as connection, connection:
        connection.execute("UPDATE files SET read_by = 'an older reader'")
    kept = noderag("index", notes, "--vault", vault, "--keep-old")
    assert "will be read again" not in kept.err
    done = noderag("index", notes, "--vault", vault)
    assert "1 file will be read again" in done.err
    assert "--keep-old" in done.err
    assert "1 file read again" in done.out
