"""Opening an encrypted vault: the keyring first, then a file, then a person, and what is said where none of them can."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import keyring
import keyring.backend
import keyring.errors
import pytest

from noderag_local.domain.errors import SettingsError, StoreError, VaultSealed
from noderag_local.storage.encryption import desktop_keyring
from noderag_local.storage.encryption.key_file import KeyFile, key_of
from noderag_local.storage.encryption.unlock import ATTEMPTS, unlock
from noderag_local.storage.encryption.vault_key import VaultKey, give, given
from noderag_local.vault.encrypt import VaultEncryption

QUICK = 4
"""log2 of scrypt's n."""


class OpenKeyring(keyring.backend.KeyringBackend):
    """A desktop's keyring that keeps what it is given."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class LockedKeyring(OpenKeyring):
    """One that nobody has unlocked."""

    def get_password(self, service: str, username: str) -> str | None:
        raise keyring.errors.KeyringLocked("Failed to unlock the collection!")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise keyring.errors.KeyringLocked("Failed to unlock the collection!")


@pytest.fixture(autouse=True)
def desktop() -> Iterator[OpenKeyring]:
    before, mine = keyring.get_keyring(), OpenKeyring()
    keyring.set_keyring(mine)
    yield mine
    keyring.set_keyring(before)


@pytest.fixture
def key() -> VaultKey:
    """One that this process was not given."""
    return VaultKey.new()


@pytest.fixture
def folder(tmp_path: Path, key: VaultKey) -> Path:
    """With the key under a passphrase."""
    KeyFile.of(key).with_passphrase(key, "open sesame", QUICK).write(tmp_path)
    return tmp_path


def nobody(again: bool) -> str:
    raise AssertionError("a person was asked")


def test_a_person_is_asked_once_a_process(folder: Path, key: VaultKey) -> None:
    unlock(folder, lambda again: "open sesame")
    assert key_of(folder) == given(key.proof) == key
    unlock(folder, nobody)


def test_a_wrong_passphrase_can_be_typed_again(folder: Path, key: VaultKey) -> None:
    typed = iter(["open", "open sesame"])
    asked: list[bool] = []
    unlock(folder, lambda again: (asked.append(again), next(typed))[1])
    assert (asked, key_of(folder)) == ([False, True], key)


def test_after_some_attempts_it_says_what_is_wrong(folder: Path) -> None:
    asked: list[bool] = []
    with pytest.raises(VaultSealed, match=r"does not open.*Run the command again.*vault\.key may be damaged"):
        unlock(folder, lambda again: (asked.append(again), "wrong")[1])
    assert asked == [False] + [True] * (ATTEMPTS - 1)


def test_where_nobody_is_to_ask_a_file_has_it(folder: Path, key: VaultKey, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VaultSealed, match="NODERAG_PASSPHRASE_FILE"):
        unlock(folder)
    secret = folder / "secret"
    monkeypatch.setenv("NODERAG_PASSPHRASE_FILE", str(secret))
    with pytest.raises(SettingsError, match="cannot be read"):
        unlock(folder)
    secret.write_text("\n", "utf-8")
    with pytest.raises(SettingsError, match="empty"):
        unlock(folder)
    secret.write_text("wrong\n", "utf-8")
    with pytest.raises(VaultSealed, match="secret does not open"):
        unlock(folder, nobody)
    secret.write_text("open sesame\nsecond line\n", "utf-8")
    unlock(folder, nobody)
    assert key_of(folder) == key


def test_a_vault_that_is_not_encrypted_asks_nothing(tmp_path: Path) -> None:
    unlock(tmp_path, nobody)
    unlock(tmp_path / "missing", nobody)


def test_the_keyring_opens_it_without_a_question(folder: Path, key: VaultKey) -> None:
    desktop_keyring.keep(key)
    replace(KeyFile.of(key), in_keyring=True).write(folder)
    unlock(folder, nobody)
    assert key_of(folder) == key


def test_a_keyring_that_is_locked_or_has_another_key_leaves_the_passphrase(folder: Path, key: VaultKey) -> None:
    replace(KeyFile.of(key).with_passphrase(key, "open sesame", QUICK), in_keyring=True).write(folder)
    desktop_keyring.keep(VaultKey(key.vault, VaultKey.new().secret))
    with pytest.raises(VaultSealed):
        unlock(folder)
    keyring.set_keyring(LockedKeyring())
    unlock(folder, lambda again: "open sesame")
    assert key_of(folder) == key


def test_where_the_keyring_alone_has_it_the_way_out_is_told(folder: Path, key: VaultKey) -> None:
    replace(KeyFile.of(key), in_keyring=True).write(folder)
    with pytest.raises(VaultSealed, match="noderag passphrase"):
        unlock(folder, nobody)
    keyring.set_keyring(LockedKeyring())
    with pytest.raises(StoreError, match=r"Failed to unlock.*unlock it"):
        unlock(folder, nobody)


def test_a_machine_without_a_keyring_says_so_and_encrypts_nothing(tmp_path: Path) -> None:
    keyring.set_keyring(LockedKeyring())
    encryption = VaultEncryption(tmp_path, lambda: None)
    with pytest.raises(StoreError, match="use a passphrase"):
        encryption.encrypt("", keyring=True)
    assert not encryption.protection().is_encrypted


def test_a_keyring_that_keeps_passwords_in_the_clear_is_not_used(tmp_path: Path, desktop: OpenKeyring) -> None:
    desktop.priority = 0.5
    encryption = VaultEncryption(tmp_path, lambda: None)
    with pytest.raises(StoreError, match="keeps a key safely"):
        encryption.encrypt("", keyring=True)
    assert (desktop.kept, encryption.protection().is_encrypted) == ({}, False)


def test_a_process_with_a_key_leaves_no_image_of_its_memory(key: VaultKey) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
    give(key)
    assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0


def test_a_passphrase_can_be_added_and_the_keyring_left(tmp_path: Path, desktop: OpenKeyring) -> None:
    encryption = VaultEncryption(tmp_path, lambda: None)
    encryption.encrypt("", keyring=True)
    with pytest.raises(StoreError, match="Choose a passphrase first"):
        encryption.keep_in_keyring(False)
    encryption.change_passphrase("open sesame", log2_n=QUICK)
    encryption.keep_in_keyring(False)
    protection = encryption.protection()
    assert (protection.has_passphrase, protection.in_keyring, desktop.kept) == (True, False, {})


def test_a_vault_that_nothing_would_open_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="without a passphrase or a keyring"):
        VaultEncryption(tmp_path, lambda: None).encrypt("")
