"""Databases in the form of another key: the same rows, and at any instant one whole file of each."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from store.notes import add, document, link_and_embed
from store.secret_vault import HEADER, digest_of, key_in, leaks, made, plain_names
from talks import TURN

from noderag_local.errors import StoreError, VaultDamaged, VaultSealed
from noderag_local.records import Progress
from noderag_local.store.backups import Backups
from noderag_local.store.conversations import Conversations
from noderag_local.store.conversion import DATABASES, convert_folder
from noderag_local.store.course import Course
from noderag_local.store.database import Store
from noderag_local.store.integrity import integrity
from noderag_local.store.key_file import KeyFile
from noderag_local.store.restore import restore
from noderag_local.store.snapshot import Snapshot
from noderag_local.store.vault_key import KEY_FILE_NAME, VaultKey, give


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Not encrypted."""
    return made(tmp_path / "vault")


@pytest.fixture
def key(vault: Path) -> VaultKey:
    """One that this process was given, in the vault's key file."""
    return key_in(vault)


def test_the_rows_are_the_same_both_ways(vault: Path, key: VaultKey) -> None:
    before, talks = digest_of(vault), Conversations(vault).all()
    convert_folder(vault, key, None)
    assert plain_names(vault) == []
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
    assert plain_names(tmp_path / "lost") == []


def test_a_backup_that_is_encrypted_in_part_comes_back_in_the_form_of_the_vault(vault: Path, tmp_path: Path) -> None:
    before, talks = digest_of(vault), Conversations(vault).all()
    backup = Backups(vault, tmp_path / "stick").make()
    one, other = VaultKey.new(), VaultKey.new()
    for key in (one, other):
        give(key)
    KeyFile.of(one).write(backup.folder)
    for key in (one, other):
        KeyFile.of(key).write(vault)
        restore(vault, backup)
        assert plain_names(vault) == []
        assert (digest_of(vault), Conversations(vault).all()) == (before, talks)


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
        assert plain_names(vault) == []
        assert digest_of(vault) == before


def test_without_room_it_stays_as_it_is_and_says_so(vault: Path) -> None:
    before = digest_of(vault)
    code = (
        "import resource, sys\nfrom pathlib import Path\nfrom store.secret_vault import key_in\n"
        "from noderag_local.errors import StoreError\nfrom noderag_local.store.conversion import convert_folder\n"
        "vault = Path(sys.argv[1])\nkey = key_in(vault)\nresource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n convert_folder(vault, key, None)\nexcept StoreError as error:\n print(error)"
    )
    command = [sys.executable, "-c", code, vault]
    told = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True).stdout
    assert "vault.sqlite" in told and "left" in told and "make room" in told.lower()
    assert not list(vault.glob("*.part*"))
    (vault / KEY_FILE_NAME).unlink()
    assert digest_of(vault) == before


def test_a_reader_cannot_open_what_is_about_to_be_overwritten(vault: Path, key: VaultKey) -> None:
    code = (
        "import sqlite3, sys\ntry:\n sqlite3.connect(sys.argv[1], timeout=0).execute('SELECT * FROM chunks')\n"
        "except sqlite3.OperationalError as error:\n print(error)"
    )
    told: list[str] = []

    def look(progress: Progress) -> None:
        if not told:
            command = [sys.executable, "-c", code, vault / DATABASES[0]]
            told.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    convert_folder(vault, key, None, Course("encrypting", look))
    assert told == ["database is locked\n"]
