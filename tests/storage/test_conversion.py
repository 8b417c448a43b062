"""Databases in the form of another key: the same rows, and at any instant one whole file of each."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.conversation_turns import TURN
from helpers.small_documents import add, document, link_and_embed
from storage.secret_vault import HEADER, digest_of, encrypted, leaks, made, plain_names

from noderag_local.domain.errors import StoreError, VaultDamaged, VaultReplaced, VaultSealed
from noderag_local.domain.progress import Progress
from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.backup.restore import restore
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.sqlite_file import is_plain_database
from noderag_local.storage.database.store import Store
from noderag_local.storage.encryption.conversion import DATABASES, decrypt_folder, encrypt_folder
from noderag_local.storage.encryption.conversion_progress import ConversionProgress, Stopped
from noderag_local.storage.encryption.key_file import KeyFile
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME, VaultKey, give
from noderag_local.storage.snapshots.snapshot import Snapshot


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Not encrypted."""
    return made(tmp_path / "vault")


def test_the_rows_are_the_same_both_ways(vault: Path) -> None:
    before, talks = digest_of(vault), Conversations(vault).all()
    key = encrypted(vault)
    assert plain_names(vault) == []
    assert (digest_of(vault), Conversations(vault).all()) == (before, talks)
    decrypt_folder(vault, key)
    assert not (vault / KEY_FILE_NAME).exists()
    assert [(vault / name).read_bytes()[: len(HEADER)] for name in DATABASES] == [HEADER, HEADER]
    assert (digest_of(vault), Conversations(vault).all()) == (before, talks)
    with sqlite3.connect(vault / DATABASES[0]) as plain:
        assert plain.execute("PRAGMA page_size").fetchone() == (8192,)
    plain.close()


def test_what_has_the_form_already_is_not_written_again(vault: Path) -> None:
    key = encrypted(vault)
    before = [(vault / name).stat().st_mtime_ns for name in DATABASES]
    encrypted(vault, key)
    assert [(vault / name).stat().st_mtime_ns for name in DATABASES] == before


def test_an_encrypted_vault_is_written_read_and_found_in_order(vault: Path) -> None:
    encrypted(vault)
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


def test_a_lost_key_file_is_named(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encrypted(vault)
    Store.open(vault, write=False).close()
    (vault / KEY_FILE_NAME).unlink()
    with pytest.raises(VaultReplaced, match="was encrypted"):
        Store.open(vault, write=False)
    # On another machine.
    monkeypatch.setenv("NODERAG_STATE", str(vault / "other"))
    with pytest.raises(VaultDamaged, match=KEY_FILE_NAME):
        Store.open(vault, write=False)


def test_a_vault_that_another_program_has_open_stays_as_it_is(vault: Path) -> None:
    before, key = digest_of(vault), encrypted(vault)
    with Store.open(vault, write=False) as reader, reader.steady():
        assert reader.generation
        with pytest.raises(StoreError, match="in use by another program"):
            decrypt_folder(vault, key)
    assert (digest_of(vault), plain_names(vault)) == (before, [])
    assert [path.name for path in vault.glob("*.part")] == []


def test_a_damaged_page_is_noticed(vault: Path) -> None:
    encrypted(vault)
    path = vault / DATABASES[0]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with Store.open(vault, write=False) as store:
        assert not all(finding.ok for finding in integrity(store))
    with pytest.raises(VaultDamaged):
        Backups(vault).make()


def test_a_backup_of_an_encrypted_vault_opens_by_itself(vault: Path, tmp_path: Path) -> None:
    encrypted(vault)
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
    key = VaultKey.new()
    give(key)
    with pytest.raises(Stopped):
        first = backup.folder / DATABASES[0]
        encrypt_folder(
            backup.folder, KeyFile.of(key), key, ConversionProgress(cancelled=lambda: not is_plain_database(first))
        )
    assert len(plain_names(backup.folder)) == 1
    encrypted(vault)
    for place in (vault, tmp_path / "lost"):
        restore(place, backup)
        assert plain_names(place) == []
        assert (digest_of(place), Conversations(place).all()) == (before, talks)


def test_restoring_keeps_the_key_of_the_vault(vault: Path, tmp_path: Path) -> None:
    before = digest_of(vault)
    one = encrypted(vault)
    sealed = Backups(vault, tmp_path / "sealed").make()
    decrypt_folder(vault, one)
    encrypted(vault)
    aside = restore(vault, sealed).aside
    assert aside is not None and (aside / KEY_FILE_NAME).is_file()
    assert plain_names(vault) == []
    assert digest_of(vault) == before


def test_without_room_it_stays_as_it_is_and_says_so(vault: Path) -> None:
    before = digest_of(vault)
    code = (
        "import resource, sys\nfrom pathlib import Path\nfrom storage.secret_vault import encrypted\n"
        "from noderag_local.domain.errors import StoreError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n encrypted(Path(sys.argv[1]))\nexcept StoreError as error:\n print(error)"
    )
    command = [sys.executable, "-c", code, vault]
    told = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True).stdout
    assert "vault.sqlite" in told and "left" in told and "free some space" in told.lower()
    assert not list(vault.glob("*.part*"))
    (vault / KEY_FILE_NAME).unlink()
    assert digest_of(vault) == before


def test_a_reader_cannot_open_what_is_about_to_be_overwritten(vault: Path) -> None:
    code = (
        "import sqlite3, sys\ntry:\n sqlite3.connect(sys.argv[1], timeout=0).execute('SELECT * FROM chunks')\n"
        "except sqlite3.OperationalError as error:\n print(error)"
    )
    told: list[str] = []

    def look(progress: Progress) -> None:
        if not told:
            command = [sys.executable, "-c", code, vault / DATABASES[0]]
            told.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    key = VaultKey.new()
    encrypt_folder(vault, KeyFile.of(key), key, ConversionProgress("encrypting", look))
    assert told == ["database is locked\n"]
