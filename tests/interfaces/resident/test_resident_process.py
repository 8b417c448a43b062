"""The resident process: how it begins and ends, whom it serves, and that it stands in nobody's way."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import cast

import pytest
from interfaces.resident.conftest import PATIENCE_SECONDS, Command

from noderag_local.interfaces.resident import meeting_place
from noderag_local.interfaces.resident.leaving import told_by_resident
from noderag_local.interfaces.resident.messages import LONGEST_MESSAGE
from noderag_local.storage.database.store import Store

QUESTION = "Who keeps the disk Borealis?"
PASSPHRASE = "three blind mice"

ResidentOf = Callable[[Path], subprocess.Popen[bytes]]


def commands_run() -> int:
    told = told_by_resident("tell")
    assert told is not None
    return int(told["commands"])


def wait_until(what: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not what():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_the_first_search_leaves_it_behind_and_the_second_is_served(noderag: Command, sample_vault: Path) -> None:
    assert noderag("search", QUESTION, "--vault", sample_vault).returncode == 0
    wait_until(lambda: told_by_resident("tell") is not None)
    assert noderag("search", QUESTION, "--vault", sample_vault).returncode == 0
    assert commands_run() == 1
    shown = noderag("resident").stdout.decode()
    assert "with 1 vault" in shown
    assert "resident process: process" in noderag("doctor", "--vault", sample_vault).stdout.decode()
    assert noderag("resident", "--end").stdout.startswith(b"Ended: ")
    wait_until(lambda: told_by_resident("tell") is None)
    assert noderag("resident").stdout == b"No resident process is running.\n"


@pytest.mark.parametrize("variables", [{"NODERAG_RESIDENT": "false"}, {"NODERAG_LOG": "run.log"}], ids=["off", "log"])
def test_none_is_left_where_it_is_off_or_a_log_is_written(
    noderag: Command, sample_vault: Path, meeting: Path, tmp_path: Path, variables: dict[str, str]
) -> None:
    given = {name: str(tmp_path / value) if "LOG" in name else value for name, value in variables.items()}
    assert noderag("search", QUESTION, "--vault", sample_vault, **given).returncode == 0
    assert not meeting.exists()


@pytest.mark.usefixtures("resident")
@pytest.mark.parametrize(
    "variables",
    [{"NODERAG_RESIDENT": "false"}, {"LC_ALL": "C"}, {"PYTHONUTF8": "1"}, {"NODERAG_BUDGET_TOKENS": "x"}],
    ids=str,
)
def test_callers_that_it_does_not_serve(noderag: Command, sample_vault: Path, variables: dict[str, str]) -> None:
    done = noderag("search", QUESTION, "--vault", sample_vault, **variables)
    assert done.returncode == (2 if "NODERAG_BUDGET_TOKENS" in variables else 0)
    assert commands_run() == 0


@pytest.mark.usefixtures("resident")
def test_settings_of_the_caller_count(noderag: Command, sample_vault: Path) -> None:
    small = noderag("search", QUESTION, "--vault", sample_vault, NODERAG_BUDGET_TOKENS="60").stdout
    large = noderag("search", QUESTION, "--vault", sample_vault, NODERAG_BUDGET_TOKENS="600").stdout
    assert b" of 60 tokens" in small
    assert b" of 600 tokens" in large
    assert commands_run() == 2


def test_it_follows_the_vault(noderag: Command, own_vault: Path, tmp_path: Path, resident_of: ResidentOf) -> None:
    resident_of(own_vault)
    note = tmp_path / "new.md"
    note.write_text("# Kestrel\n\nThe kestrel nests in the old water tower of Brno.\n", encoding="utf-8")
    assert noderag("index", note, "--vault", own_vault).returncode == 0
    assert b"water tower" in noderag("search", "Where does the kestrel nest?", "--vault", own_vault).stdout
    assert noderag("forget", note, "--yes", "--vault", own_vault).returncode == 0
    assert b"water tower" not in noderag("search", "Where does the kestrel nest?", "--vault", own_vault).stdout
    assert commands_run() == 2
    assert b"what was forgotten is gone" in noderag("doctor", "--vault", own_vault).stdout


def test_it_lets_a_vault_be_encrypted_and_serves_no_encrypted_one(
    noderag: Command, own_vault: Path, tmp_path: Path, resident_of: ResidentOf
) -> None:
    process = resident_of(own_vault)
    secret = tmp_path / "passphrase"
    secret.write_text(PASSPHRASE + "\n", encoding="utf-8")
    assert noderag("encrypt", "--passphrase-file", secret, "--vault", own_vault).returncode == 0
    assert process.wait(PATIENCE_SECONDS) == 0
    opened = noderag("search", QUESTION, "--vault", own_vault, NODERAG_PASSPHRASE_FILE=str(secret))
    assert (opened.returncode, told_by_resident("tell")) == (0, None)
    resident_of(own_vault)
    assert noderag("search", QUESTION, "--vault", own_vault, NODERAG_PASSPHRASE_FILE=str(secret)).returncode == 0
    assert noderag("search", QUESTION, "--vault", own_vault).returncode == 4
    told = told_by_resident("tell")
    assert told is not None
    assert (told["commands"], told["vaults"]) == (0, 0)


def test_it_does_not_stand_in_the_way_of_a_backup_moving_and_deleting(
    noderag: Command, own_vault: Path, tmp_path: Path, resident_of: ResidentOf
) -> None:
    resident_of(own_vault)
    assert noderag("backup", "--vault", own_vault).returncode == 0
    assert noderag("restore", "--yes", "--vault", own_vault).returncode == 0
    resident_of(own_vault)
    moved = own_vault.rename(tmp_path / "moved")
    assert noderag("search", QUESTION, "--vault", own_vault).returncode == 4
    assert noderag("search", QUESTION, "--vault", moved).returncode == 0
    shutil.rmtree(moved)
    assert noderag("search", QUESTION, "--vault", moved).returncode == 4


def test_it_closes_a_vault_that_another_process_writes(own_vault: Path, resident_of: ResidentOf) -> None:
    process = resident_of(own_vault)
    files = Path(f"/proc/{process.pid}/fd")
    if not files.exists():
        pytest.skip("needs /proc")
    with Store.open(own_vault, write=True):
        wait_until(lambda: not holds(files, own_vault))


def test_it_lets_go_of_a_changed_vault_by_itself(
    noderag: Command, own_vault: Path, tmp_path: Path, resident_of: ResidentOf
) -> None:
    process = resident_of(own_vault)
    files = Path(f"/proc/{process.pid}/fd")
    if not files.exists():
        pytest.skip("needs /proc")
    assert holds(files, own_vault)
    note = tmp_path / "new.md"
    note.write_text("# Kestrel\n", encoding="utf-8")
    assert noderag("index", note, "--vault", own_vault).returncode == 0
    wait_until(lambda: not holds(files, own_vault))


def holds(files: Path, vault: Path) -> bool:
    return any(os.readlink(one).startswith(str(vault)) for one in files.iterdir() if one.is_symlink())


@pytest.mark.usefixtures("resident")
def test_hostile_callers_cost_only_their_own_connection(noderag: Command, sample_vault: Path) -> None:
    for sent in (
        b"",
        b"\xff" * 1000,
        (LONGEST_MESSAGE + 1).to_bytes(4, "big"),
        (9).to_bytes(4, "big") + b"[1, 2, 3]",
        (12).to_bytes(4, "big") + b'{"do":"run"}',
        (2000).to_bytes(4, "big") + b"[" * 2000,
    ):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(meeting_place.socket_path())
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(PATIENCE_SECONDS)
            # Reset where it has not read everything.
            with suppress(ConnectionResetError):
                assert connection.recv(1) == b""
    assert noderag("search", QUESTION, "--vault", sample_vault).returncode == 0
    assert commands_run() == 1


def test_one_that_takes_no_connections_counts_as_none(meeting: Path) -> None:
    meeting.mkdir(mode=0o700)
    # The thread is waited for last, when the socket is closed.
    with ThreadPoolExecutor(1) as thread, socket.socket(socket.AF_UNIX) as stuck, ExitStack() as waiting:
        stuck.bind(meeting_place.socket_path())
        stuck.listen(0)
        asked = thread.submit(lambda: [meeting_place.connected() for _ in range(4)])
        found = asked.result(PATIENCE_SECONDS)
        for connection in filter(None, found):
            waiting.enter_context(connection)
        assert found[-1] is None


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell a full queue from nobody")
def test_one_that_many_wait_for_is_waited_for_and_not_started_again(meeting: Path) -> None:
    meeting.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as busy, ExitStack() as waiting:
        busy.bind(meeting_place.socket_path())
        busy.listen(0)
        waiting.enter_context(cast(socket.socket, meeting_place.connected()))
        before = time.monotonic()
        assert meeting_place.connected() is None
        assert time.monotonic() - before >= meeting_place.CONNECT_SECONDS
        assert meeting_place.is_there()
    assert not meeting_place.is_there()


@pytest.mark.usefixtures("resident")
def test_the_socket_is_its_owners_alone(meeting: Path) -> None:
    assert stat.S_IMODE(meeting.stat().st_mode) == 0o700
    for path in meeting.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.usefixtures("resident")
def test_a_folder_that_others_can_enter_is_not_used(meeting: Path) -> None:
    meeting.chmod(0o755)
    assert told_by_resident("tell") is None
    meeting.chmod(0o700)
    assert told_by_resident("tell") is not None


@pytest.mark.usefixtures("resident")
def test_a_second_one_finds_the_place_taken(sample_vault: Path) -> None:
    second = [sys.executable, "-m", "noderag_local.interfaces.resident", str(sample_vault)]
    assert subprocess.run(second, timeout=PATIENCE_SECONDS, check=False).returncode == 0
    assert told_by_resident("tell") is not None


def test_what_a_killed_one_left_is_in_nobodys_way(
    noderag: Command, sample_vault: Path, meeting: Path, resident_of: ResidentOf
) -> None:
    process = resident_of(sample_vault)
    process.kill()
    process.wait(PATIENCE_SECONDS)
    assert len(list(meeting.iterdir())) == 2
    assert noderag("search", QUESTION, "--vault", sample_vault).returncode == 0
    wait_until(lambda: told_by_resident("tell") is not None)


def test_the_client_imports_little() -> None:
    code = (
        "import sys; sys.argv[1:] = ['search', 'x']\n"
        "from noderag_local.interfaces.resident.asking import run_by_resident\n"
        "assert run_by_resident(sys.argv[1:]) is None\n"
        "print(*[name for name in ('numpy', 'typer', 'rich', 'pydantic', 'sqlite3', 'pathlib', 'json') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
