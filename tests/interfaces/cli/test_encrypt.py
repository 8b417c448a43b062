"""`noderag encrypt`, `decrypt` and `passphrase`, and what other commands say of an encrypted vault."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.command_line import Noderag

from noderag_local.domain.errors import StoreError, VaultSealed

HEADER = b"SQLite format 3"


@pytest.fixture
def vault(sample_vault: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample_vault, tmp_path / "vault"))


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_text("open sesame\n", "utf-8")
    return file


def in_another_process(command: str, vault: Path) -> subprocess.CompletedProcess[str]:
    """Runs `noderag` where the key was not given yet and there is nobody to ask."""
    words = [sys.executable, "-m", "noderag_local", command, "--vault", vault]
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


def test_it_is_encrypted_opened_and_decrypted(
    noderag: Noderag, vault: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert noderag("backup", "--vault", vault).code == 0
    done = noderag("encrypt", "--passphrase-file", secret, "--vault", vault, "--json")
    # Indexing on a slow machine has made another one.
    assert done.document["backups"] >= 1 and done.document["left"] == []
    assert done.err.startswith("encrypting: ") and not done.document["stopped"]
    assert HEADER not in (vault / "vault.sqlite").read_bytes()
    locked = in_another_process("stats", vault)
    assert locked.returncode == VaultSealed.exit_code
    assert "is encrypted" in locked.stderr and "NODERAG_PASSPHRASE_FILE" in locked.stderr
    monkeypatch.setenv("NODERAG_PASSPHRASE_FILE", str(secret))
    asked = in_another_process("stats", vault)
    assert asked.returncode == 0, asked.stderr
    again = noderag("encrypt", "--passphrase-file", secret, "--vault", vault)
    assert "already encrypted" in again.out
    refused = noderag("decrypt", "--vault", vault)
    assert refused.code == 2 and "--yes" in refused.err
    assert noderag("decrypt", "--yes", "--backups", "remove", "--vault", vault).code == 0
    assert (vault / "vault.sqlite").read_bytes().startswith(HEADER)
    assert not (vault / "vault.key").exists() and not list((vault / "backups").iterdir())
    assert "not encrypted" in noderag("decrypt", "--yes", "--vault", vault).err


def test_another_passphrase(
    noderag: Noderag, vault: Path, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert noderag("passphrase", "--passphrase-file", secret, "--vault", vault).code == 2
    noderag("encrypt", "--passphrase-file", secret, "--vault", vault)
    other = tmp_path / "other"
    other.write_text("something else", "utf-8")
    assert noderag("passphrase", "--passphrase-file", other, "--vault", vault).code == 0
    monkeypatch.setenv("NODERAG_PASSPHRASE_FILE", str(secret))
    wrong = in_another_process("stats", vault)
    assert wrong.returncode == VaultSealed.exit_code
    assert f"The passphrase in {secret} does not open {vault}" in wrong.stderr


def test_a_short_passphrase_is_refused(noderag: Noderag, vault: Path, tmp_path: Path) -> None:
    (tmp_path / "short").write_text("sesame", "utf-8")
    done = noderag("encrypt", "--passphrase-file", tmp_path / "short", "--vault", vault)
    assert done.code == 2 and "fewer than" in done.err
    assert (vault / "vault.sqlite").read_bytes().startswith(HEADER)


def test_what_was_left_unfinished_is_brought_to_its_end(noderag: Noderag, vault: Path, secret: Path) -> None:
    assert noderag("backup", "--vault", vault).code == 0
    assert noderag("encrypt", "--passphrase-file", secret, "--vault", vault).code == 0
    (vault / "snapshot.arrays").write_bytes(b"not encrypted")
    assert "snapshot.arrays" in noderag("doctor", "--vault", vault).out
    done = noderag("encrypt", "--vault", vault)
    assert done.out == "The vault is encrypted.\n"
    assert not (vault / "snapshot.arrays").exists()


def test_a_folder_that_cannot_be_looked_into_is_told_by_whoever_opens_it(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("stats", "--vault", tmp_path / ("x" * 300))
    assert done.code == StoreError.exit_code and "File name too long" in done.err
