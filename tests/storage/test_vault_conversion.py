"""A whole vault encrypted and decrypted: whatever comes between, it opens, and nothing of it is left in the clear."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from storage.secret_vault import SECRETS, digest_of, encrypted, leaks, made

from noderag_local.domain.errors import StoreError, VaultDamaged, VaultLocked
from noderag_local.domain.progress import Progress
from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.store import Store
from noderag_local.storage.encryption import vault_conversion
from noderag_local.storage.encryption.conversion import DATABASES, encrypt_folder
from noderag_local.storage.encryption.key_file import KeyFile, read_key_file
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME, VaultKey, give
from noderag_local.vault.encrypt import VaultEncryption

QUICK = 4
"""log2 of scrypt's n."""
STEP = 7
"""Files that are opened, renamed or removed from one kill to the next, later one."""
CONVERT = """
import os, pathlib, signal, sys
import noderag_local.storage.encryption.conversion, noderag_local.storage.database.lock, noderag_local.storage.database.sqlite_file
from noderag_local.storage.encryption.unlock import unlock
from noderag_local.vault.encrypt import VaultEncryption

folder, what, left = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
unlock(folder)

def kill_in_time(event, arguments):
    global left
    if event in ("open", "os.rename", "os.remove") and str(folder) in str(arguments[0]):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill_in_time)
encryption = VaultEncryption(folder, lambda: None)
encryption.encrypt("open sesame", log2_n=4) if what == "encrypt" else encryption.decrypt()
"""
"""Encrypts or decrypts a vault, and is killed before it opens, renames or removes its nth file there."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Not encrypted."""
    return made(tmp_path / "vault")


@pytest.fixture
def encryption(vault: Path) -> VaultEncryption:
    """Of this vault."""
    return VaultEncryption(vault, lambda: None)


@pytest.mark.parametrize("what", ["encrypt", "decrypt"])
def test_a_kill_leaves_a_vault_that_opens_and_goes_on(vault: Path, tmp_path: Path, what: str) -> None:
    (tmp_path / "secret").write_text("open sesame\n", "utf-8")
    before, talks = digest_of(vault), Conversations(vault).all()
    if what == "decrypt":
        assert run_until(vault, tmp_path, "encrypt", 0) == 0
        assert leaks(vault) == []
    instant, ended = 0, None
    while ended != 0:
        instant += STEP
        ended = run_until(vault, tmp_path, what, instant)
        give_key_of(vault)
        assert (digest_of(vault), Conversations(vault).all()) == (before, talks)
    assert instant > STEP
    assert bool(leaks(vault)) == (what == "decrypt")
    assert (vault / KEY_FILE_NAME).exists() == (what == "encrypt")
    assert not list(vault.glob("*.part*"))


def test_what_was_there_is_overwritten_with_what_kills_have_left(
    vault: Path, encryption: VaultEncryption, tmp_path: Path
) -> None:
    left_by_a_killed_writer(vault)
    (vault / "vault.sqlite.converted.part").write_bytes(SECRETS[0] * 1000)
    (vault / "vault.sqlite.converted.part-journal").write_bytes(SECRETS[0] * 1000)
    (vault / "snapshot.arrays.123.part").write_bytes(SECRETS[0] * 1000)
    files = [path for path in vault.rglob("*") if path.is_file()]
    second = tmp_path / "second names"
    second.mkdir()
    for number, path in enumerate(files):
        os.link(path, second / f"{number} {path.name}")
    assert {"vault.sqlite-wal", "snapshot.arrays"} <= {path.name for path in files}
    encryption.encrypt("open sesame", log2_n=QUICK)
    assert leaks(vault) == leaks(second) == []
    with Store.open(vault, write=False) as store:
        assert store.value("SELECT count(*) FROM documents") == 3


def left_by_a_killed_writer(vault: Path) -> None:
    """A log with a note that is not in the database yet."""
    work = (
        "import os, sys\nfrom pathlib import Path\nfrom helpers.small_documents import add, document\n"
        "from noderag_local.storage.database.store import Store\nstore = Store.open(Path(sys.argv[1]), write=True)\n"
        "add(store, document('/notes/c.md', ['Quirin climbs the stairs.']))\nos._exit(9)"
    )
    ended = subprocess.run([sys.executable, "-c", work, vault], cwd=Path(__file__).parents[1], check=False)
    assert ended.returncode == 9


def test_what_a_killed_backup_left_is_not_left_in_the_clear(vault: Path, encryption: VaultEncryption) -> None:
    (whole,) = (vault / "backups").iterdir()
    shutil.copytree(whole, whole.with_name("2026-03-01T10-00-00-000000Z.part"))
    encryption.encrypt("open sesame", log2_n=QUICK)
    assert leaks(vault) == []
    assert [path.name for path in (vault / "backups").iterdir()] == [whole.name]


@pytest.mark.slow
def test_who_opens_it_meanwhile_is_told_that_it_is_in_use(
    vault: Path, encryption: VaultEncryption, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("open sesame\n", "utf-8")
    command = [sys.executable, "-m", "noderag_local", "stats", "--vault", vault]
    variables = {**os.environ, "NODERAG_PASSPHRASE_FILE": str(tmp_path / "secret")}
    told: list[str] = []

    def look(progress: Progress) -> None:
        if not told:
            done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
            told.append(done.stderr)

    encryption.encrypt("open sesame", progress=look, log2_n=QUICK)
    assert "in use by another program" in told[0]
    again = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr


def test_it_can_be_stopped_anywhere_and_goes_on(vault: Path, encryption: VaultEncryption) -> None:
    before = digest_of(vault)
    stops, left = 0, 0
    while True:
        looks = iter(range(left))
        done = encryption.encrypt("open sesame", cancelled=lambda looks=looks: next(looks, None) is None, log2_n=QUICK)
        assert digest_of(vault) == before
        if not done.stopped:
            break
        assert not all(finding.ok for finding in encryption.check())
        assert not list(vault.glob("*.part*"))
        stops, left = stops + 1, left + 3
    assert stops > 3
    assert (leaks(vault), done.left) == ([], ())


def test_a_vault_that_cannot_be_encrypted_gets_no_key(vault: Path, encryption: VaultEncryption) -> None:
    encrypted(vault)
    (vault / KEY_FILE_NAME).unlink()
    with pytest.raises(VaultDamaged, match="another key"):
        encryption.encrypt("open sesame", log2_n=QUICK)
    assert not encryption.protection().is_encrypted


def test_one_that_is_in_use_gets_no_key_either(vault: Path, encryption: VaultEncryption) -> None:
    # Two libraries of SQLite in one process do not see each other's locks.
    reading = (
        "import sys\nfrom pathlib import Path\nfrom noderag_local.storage.database.store import Store\n"
        "with Store.open(Path(sys.argv[1]), write=False):\n print('open', flush=True)\n sys.stdin.read()"
    )
    command = [sys.executable, "-c", reading, vault]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None and reader.stdout.readline() == "open\n"
        with pytest.raises(StoreError, match="in use by another program"):
            encryption.encrypt("open sesame", log2_n=QUICK)
        reader.communicate()
    assert not encryption.protection().is_encrypted


def test_a_vault_that_is_encrypted_in_part_is_told_and_makes_no_backup(
    vault: Path, encryption: VaultEncryption
) -> None:
    stopped = encryption.encrypt("open sesame", cancelled=lambda: True, log2_n=QUICK).stopped
    assert stopped
    (finding,) = encryption.check()
    (backup,) = Backups(vault).places()
    for name in (*DATABASES, f"backups/{backup.name}/{DATABASES[0]}"):
        assert name in finding.detail
    with pytest.raises(StoreError, match="noderag encrypt or noderag decrypt"):
        Backups(vault).make()
    assert Backups(vault).unfinished() == []
    encryption.encrypt("", log2_n=QUICK)
    assert [finding.ok for finding in encryption.check()] == [True]
    assert len(Backups(vault).make().files) == 2


def test_a_backup_that_cannot_be_encrypted_keeps_nothing_else_from_it(vault: Path, encryption: VaultEncryption) -> None:
    torn = Backups(vault).make().folder
    (torn / DATABASES[0]).write_bytes((torn / DATABASES[0]).read_bytes()[:-9000])
    done = encryption.encrypt("open sesame", log2_n=QUICK)
    assert (done.backups, done.left) == (1, (torn,))
    assert not (torn / KEY_FILE_NAME).exists()


def test_a_backup_that_looked_damaged_for_a_moment_is_encrypted_the_next_time(
    vault: Path, encryption: VaultEncryption, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Backups(vault).make().folder

    def failing(folder: Path, *rest: object) -> None:
        if folder == place:
            raise VaultDamaged("the disk fails")
        encrypt_folder(folder, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(vault_conversion, "encrypt_folder", failing)
    assert encryption.encrypt("open sesame", log2_n=QUICK).left == (place,)
    assert leaks(vault)
    monkeypatch.undo()
    assert encryption.encrypt("open sesame", log2_n=QUICK).left == ()
    assert not leaks(vault)


def test_a_damaged_key_file_of_one_backup_keeps_no_other_from_the_passphrase_or_from_decrypting(
    vault: Path, encryption: VaultEncryption
) -> None:
    encryption.encrypt("open sesame", log2_n=QUICK)
    (damaged,) = Backups(vault).places()
    whole = Backups(vault).make().folder
    (damaged / KEY_FILE_NAME).write_text("rubbish")
    encryption.change_passphrase("another one", log2_n=QUICK)
    file = read_key_file(whole)
    assert file is not None and file.opened_by("another one") is not None
    done = encryption.decrypt()
    assert (done.backups, done.left) == (1, (damaged,))


def test_a_backup_that_has_lost_its_key_file_is_decrypted_with_the_vault(
    vault: Path, encryption: VaultEncryption
) -> None:
    encryption.encrypt("open sesame", log2_n=QUICK)
    (place,) = Backups(vault).places()
    (place / KEY_FILE_NAME).unlink()
    assert encryption.decrypt().left == ()
    assert digest_of(place) == digest_of(vault)


def test_a_key_file_that_a_power_cut_brought_back_keeps_no_backup_from_being_encrypted(
    vault: Path, encryption: VaultEncryption
) -> None:
    (place,) = Backups(vault).places()
    KeyFile.of(VaultKey.new()).write(place)
    done = encryption.encrypt("open sesame", log2_n=QUICK)
    assert (done.left, leaks(vault)) == ((), [])


def test_the_passphrase_is_not_changed_while_another_process_is_at_work(
    vault: Path, encryption: VaultEncryption
) -> None:
    encryption.encrypt("open sesame", log2_n=QUICK)
    with Store.open(vault, write=True), pytest.raises(VaultLocked):
        encryption.change_passphrase("another one", log2_n=QUICK)


def run_until(vault: Path, tmp_path: Path, what: str, instant: int) -> int:
    command = [sys.executable, "-c", CONVERT, vault, what, str(instant)]
    variables = {**os.environ, "NODERAG_PASSPHRASE_FILE": str(tmp_path / "secret")}
    return subprocess.run(command, env=variables, timeout=60, check=False).returncode


def give_key_of(vault: Path) -> None:
    file = read_key_file(vault)
    key = file and file.opened_by("open sesame")
    if key:
        give(key)
