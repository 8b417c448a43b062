"""After forgetting and encrypting, the disk itself is searched, free blocks and all, for what was to be gone."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.conversation_turns import turn

from noderag_local.config import Settings
from noderag_local.vault.vault import Vault

SECRET = b"quagmirestone"
IMAGE_BYTES = 400_000_000


class Disk:
    """A file that is mounted as an ext4 of its own."""

    def __init__(self, folder: Path) -> None:
        self.image, self.root = folder / "disk.img", folder / "disk"
        self.root.mkdir()
        with self.image.open("wb") as file:
            file.truncate(IMAGE_BYTES)
        # Blocks that are written late by the kernel itself would be found where they are not yet.
        options = ["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"]
        subprocess.run(["mkfs.ext4", *options, str(self.image)], check=True)
        subprocess.run(["mount", "-o", "loop,nodiscard", str(self.image), str(self.root)], check=True)

    def copies(self) -> int:
        """How often the secret stands on the disk."""
        os.sync()
        subprocess.run(["blockdev", "--flushbufs", self._device()], check=False, capture_output=True)
        return self.image.read_bytes().lower().count(SECRET)

    def _device(self) -> str:
        found = subprocess.run(
            ["findmnt", "-no", "SOURCE", str(self.root)], capture_output=True, text=True, check=False
        )
        return found.stdout.strip()

    def close(self) -> None:
        # Mapped caches of a closed vault are let go of when cycles are collected.
        gc.collect()
        subprocess.run(["umount", str(self.root)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.geteuid() != 0 or not all(map(shutil.which, ("mkfs.ext4", "mount"))):
        pytest.skip("mounting a disk takes root and e2fsprogs")
    try:
        made = Disk(tmp_path)
    except subprocess.CalledProcessError:
        pytest.skip("nothing can be mounted here")
    yield made
    made.close()


@pytest.fixture
def vault(disk: Disk, tmp_path: Path) -> Iterator[Vault]:
    """On the disk: notes with a secret, a conversation about it, and a backup; the notes themselves lie elsewhere."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(20):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nBob met Eve in Paris, {number} years ago.", "utf-8")
    (notes / "secret.md").write_text(f"# Secret\n\n{SECRET.decode().title()} hides the ledger.", "utf-8")
    with Vault(disk.root / "vault", Settings(models_dir=tmp_path / "none")) as opened:
        opened.index([notes])
        opened.conversations.add(None, turn(f"Where does {SECRET.decode()} live?"))
        opened.safety.back_up(None)
        yield opened


def test_nothing_of_a_forgotten_note_is_on_the_disk(vault: Vault, disk: Disk, tmp_path: Path) -> None:
    assert disk.copies()
    for conversation in vault.conversations.all():
        vault.conversations.delete(conversation.id)
    vault.forget([tmp_path / "notes" / "secret.md"], renew_backups=True)
    assert disk.copies() == 0


def test_nothing_of_a_vault_that_was_encrypted_is_on_the_disk(vault: Vault, disk: Disk) -> None:
    assert disk.copies()
    vault.encryption.encrypt("three blind mice", log2_n=4)
    assert disk.copies() == 0
