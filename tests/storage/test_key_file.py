"""The key of an encrypted vault: in its file under a passphrase, and nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from noderag_local.domain.errors import VaultDamaged, VaultSealed
from noderag_local.storage.encryption.key_file import KeyFile, key_of, read_key_file
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME, VaultKey, give, given

QUICK = 4
"""log2 of scrypt's n."""


@pytest.fixture(scope="module")
def key() -> VaultKey:
    return VaultKey.new()


@pytest.fixture(scope="module")
def file(key: VaultKey) -> KeyFile:
    return KeyFile.of(key).with_passphrase(key, "open sesame", QUICK)


def test_the_passphrase_opens_it_and_no_other_does(file: KeyFile, key: VaultKey) -> None:
    assert file.opened_by("open sesame") == key
    for wrong in ("", "Open sesame", "open sesame "):
        assert file.opened_by(wrong) is None
    assert KeyFile.of(key).opened_by("") is None


def test_another_passphrase_leaves_the_key_as_it_is(file: KeyFile, key: VaultKey) -> None:
    changed = file.with_passphrase(key, "something else", QUICK)
    assert changed.opened_by("something else") == key
    assert changed.opened_by("open sesame") is None


def test_what_the_keyring_gives_is_believed_only_if_it_is_this_key(file: KeyFile, key: VaultKey) -> None:
    assert file.proven(key.secret) == key
    assert file.proven(VaultKey.new().secret) is None


def test_it_is_written_whole_for_its_owner_alone_and_read_back(file: KeyFile, key: VaultKey, tmp_path: Path) -> None:
    replace(file, in_keyring=True).write(tmp_path)
    assert read_key_file(tmp_path) == replace(file, in_keyring=True)
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE_NAME]
    written = tmp_path / KEY_FILE_NAME
    assert written.stat().st_mode & 0o777 == 0o600
    assert key.secret not in written.read_bytes() and key.secret.hex() not in written.read_text("ascii")


def test_the_secret_is_in_no_text_about_a_key(key: VaultKey, file: KeyFile) -> None:
    told = f"{key!r} {key} {file!r}"
    assert key.secret.hex() not in told and repr(key.secret) not in told


def test_keys_for_different_purposes_have_nothing_in_common(key: VaultKey) -> None:
    derived = {key.derived(purpose) for purpose in (b"database", b"file 1", b"file 2", b"proof")}
    assert len(derived) == 4 and key.secret not in derived


def test_a_folder_without_a_key_file_is_not_encrypted(tmp_path: Path) -> None:
    assert read_key_file(tmp_path) is None
    assert key_of(tmp_path) is None


def test_a_key_that_was_not_given_is_asked_for(tmp_path: Path) -> None:
    key = VaultKey.new()
    KeyFile.of(key).write(tmp_path)
    with pytest.raises(VaultSealed, match="NODERAG_PASSPHRASE_FILE"):
        key_of(tmp_path)
    give(key)
    assert key_of(tmp_path) == given(key.proof) == key


@settings(deadline=None, max_examples=25)
@drawn(st.data())
def test_a_damaged_one_says_so(file: KeyFile, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp()
    file.write(folder)
    whole = json.loads((folder / KEY_FILE_NAME).read_text("ascii"))
    place = data.draw(st.sampled_from(["form", "vault", "proof", "passphrase", "scrypt_log2_n", "salt"]))
    part = whole["passphrase"] if place in ("scrypt_log2_n", "salt") else whole
    if place == "passphrase":
        part[place] = {}
    else:
        part[place] = data.draw(st.one_of(st.none(), st.just("xyz"), st.just(99), st.just([1])))
    text = json.dumps(whole)
    (folder / KEY_FILE_NAME).write_text(data.draw(st.sampled_from([text, text[:-3], "", "[]"])), "ascii")
    with pytest.raises(VaultDamaged, match="copy of the file"):
        read_key_file(folder)


def test_one_that_is_nested_without_end_says_so(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE_NAME).write_text("[" * 1_000_000, "ascii")
    with pytest.raises(VaultDamaged, match="damaged"):
        read_key_file(tmp_path)
