"""Databases in the form of another key: the same rows, and at any instant one whole file of each."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from store.notes import add, document, link_and_embed
from talks import TURN

from noderag_local.errors import StoreError, VaultDamaged, VaultSealed
from noderag_local.store.backups import Backups
from noderag_local.store.conversations import Conversations
from noderag_local.store.conversion import DATABASES, convert_folder, forms
from noderag_local.store.database import Store
from noderag_local.store.digest import digest
from noderag_local.store.integrity import integrity
from noderag_local.store.key_file import KeyFile, read_key_file
from noderag_local.store.restore import restore
from noderag_local.store.snapshot import Snapshot
from noderag_local.store.vault_key import KEY_FILE_NAME, VaultKey, give

HEADER = b"SQLite format 3\0"
SECRETS = [word.encode(code) for word in ("stairs", "Quirin") for code in ("utf-8", "utf-16-le")]
STEP = 7
"""Files that are opened, renamed or removed from one kill to the next, later one."""
CONVERT = """
import os, pathlib, signal, sys
import noderag_local.store.conversion, noderag_local.store.lock, noderag_local.store.sqlite_file
from noderag_local.unlocking import unlock
from noderag_local.vault_encryption import VaultEncryption

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
    """A vault of two documents, a conversation, a cache and a backup, not encrypted."""
    folder = tmp_path / "vault"
    with Store.open(folder, write=True) as store:
        add(store, document("/notes/a.md", ["Quirin hides the ledger.", "Bob read."]))
        add(store, document("/notes/b.md", ["It lies under the stairs."]))
        link_and_embed(store)
        Snapshot.open(store)
    Conversations(folder).add(None, TURN)
    Backups(folder).make()
    return folder


@pytest.fixture
def key(vault: Path) -> VaultKey:
    """One that this process was given, in the vault's key file."""
    made = VaultKey.new()
    KeyFile.of(made).write(vault)
    give(made)
    return made


def digest_of(folder: Path) -> str:
    with Store.open(folder, write=False) as store:
        return digest(store)


def leaks(folder: Path) -> list[str]:
    """Files with words of the notes, or with what SQLite begins with."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(s in path.read_bytes() for s in (*SECRETS, HEADER))]


def test_the_rows_are_the_same_both_ways(vault: Path, key: VaultKey) -> None:
    before, talks = digest_of(vault), Conversations(vault).all()
    convert_folder(vault, key, None)
    assert forms(vault, key) == dict.fromkeys(DATABASES, True)
    assert (digest_of(vault), Conversations(vault).all()) == (before, talks)
    convert_folder(vault, None, key)
    (vault / KEY_FILE_NAME).unlink()
    assert [(vault / name).read_bytes()[: len(HEADER)] for name in DATABASES] == [HEADER, HEADER]
    assert (digest_of(vault), Conversations(vault).all()) == (before, talks)
    with sqlite3.connect(vault / DATABASES[0]) as plain:
        assert plain.execute("PRAGMA page_size").fetchone() == (8192,)
    plain.close()


def test_what_has_the_form_already_is_not_written_again(vault: Path, key: VaultKey) -> None:
    convert_folder(vault, key, None)
    before = [(vault / name).stat().st_mtime_ns for name in DATABASES]
    convert_folder(vault, key, None)
    assert [(vault / name).stat().st_mtime_ns for name in DATABASES] == before


def test_an_encrypted_vault_is_written_read_and_found_in_order(vault: Path, key: VaultKey) -> None:
    convert_folder(vault, key, None)
    for path in vault.glob("*.arrays"):
        path.unlink()
    shutil.rmtree(vault / "backups")
    with Store.open(vault, write=True) as store:
        add(store, document("/notes/new.md", ["Quirin climbs the stairs."]))
        link_and_embed(store)
        Snapshot.open(store)
        assert leaks(vault) == []
        store.checkpoint()
    Conversations(vault).add(None, TURN)
    with Store.open(vault, write=False) as store:
        assert [finding for finding in integrity(store) if not finding.ok] == []
        assert Snapshot.saved(store) is not None


def test_without_the_key_nothing_opens(vault: Path) -> None:
    unknown = VaultKey.new()
    KeyFile.of(unknown).write(vault)
    for write in (False, True):
        with pytest.raises(VaultSealed):
            Store.open(vault, write=write)
    with pytest.raises(VaultSealed):
        Conversations(vault).all()
    with pytest.raises(VaultSealed):
        Backups(vault).make()


def test_a_lost_key_file_is_named(vault: Path, key: VaultKey) -> None:
    convert_folder(vault, key, None)
    (vault / KEY_FILE_NAME).unlink()
    with pytest.raises(VaultDamaged, match=KEY_FILE_NAME):
        Store.open(vault, write=False)


def test_a_vault_that_another_program_has_open_stays_as_it_is(vault: Path, key: VaultKey) -> None:
    before = digest_of(vault)
    with Store.open(vault, write=False) as reader, reader.steady():
        assert reader.generation
        with pytest.raises(StoreError, match="in use by another program"):
            convert_folder(vault, key, None)
    assert digest_of(vault) == before
    assert [path.name for path in vault.glob("*.part")] == []


def test_a_damaged_page_is_noticed(vault: Path, key: VaultKey) -> None:
    convert_folder(vault, key, None)
    path = vault / DATABASES[0]
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    with pytest.raises(VaultDamaged), Store.open(vault, write=False) as store:
        integrity(store)
    with pytest.raises(VaultDamaged):
        Backups(vault).make()


def test_a_backup_of_an_encrypted_vault_opens_by_itself(vault: Path, key: VaultKey, tmp_path: Path) -> None:
    convert_folder(vault, key, None)
    made = Backups(vault, tmp_path / "stick").make()
    assert {path.name for path in made.folder.iterdir()} == {*DATABASES, KEY_FILE_NAME}
    assert leaks(made.folder) == []
    made.check()
    done = restore(tmp_path / "lost", made)
    assert (done.aside, digest_of(tmp_path / "lost")) == (None, digest_of(vault))
    assert forms(tmp_path / "lost", key) == dict.fromkeys(DATABASES, True)


def test_restoring_keeps_the_key_of_the_vault(vault: Path, tmp_path: Path) -> None:
    before = digest_of(vault)
    plain = Backups(vault, tmp_path / "plain").make()
    one, other = VaultKey.new(), VaultKey.new()
    for key in (one, other):
        give(key)
    KeyFile.of(one).write(vault)
    convert_folder(vault, one, None)
    sealed = Backups(vault, tmp_path / "sealed").make()
    convert_folder(vault, None, one)
    KeyFile.of(other).write(vault)
    convert_folder(vault, other, None)
    for backup in (plain, sealed):
        aside = restore(vault, backup).aside
        assert aside is not None and (aside / KEY_FILE_NAME).is_file()
        assert forms(vault, other) == dict.fromkeys(DATABASES, True)
        assert digest_of(vault) == before


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
    assert not list(vault.glob("*.part"))


def run_until(vault: Path, tmp_path: Path, what: str, instant: int) -> int:
    command = [sys.executable, "-c", CONVERT, vault, what, str(instant)]
    variables = {**os.environ, "NODERAG_PASSPHRASE_FILE": str(tmp_path / "secret")}
    return subprocess.run(command, env=variables, timeout=60, check=False).returncode


def give_key_of(vault: Path) -> None:
    file = read_key_file(vault)
    key = file and file.opened_by("open sesame")
    if key:
        give(key)
