"""Files that can be made anew from the vault: written whole or not at all, and believed only when every bit is right.

Layout: 8 bytes that say what it is, 32 bytes that say what it was made from, a MAC of these and the payload, the payload. The
MAC's key is the vault's, or stays on this machine: a cache that came with somebody else's vault is made anew. In an encrypted vault,
all of it is encrypted as in `sealed_file`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.database.state_folder import cache_key
from noderag_local.storage.encryption.key_file import key_of
from noderag_local.storage.encryption.sealed_file import read_content, writing_content
from noderag_local.storage.encryption.vault_key import VaultKey
from noderag_local.system.disk.on_disk import wipe
from noderag_local.system.disk.private_files import UNFINISHED, replacing

Part = bytes | bytearray | memoryview

_DIGEST_BYTES = 32
_STEP_BYTES = 1 << 20
KIND_BYTES = 8
HEADER_BYTES = KIND_BYTES + 2 * _DIGEST_BYTES
SUFFIXES = (".arrays", ".usearch", ".links")
"""Endings of the names of all caches."""


def read_payload(path: Path, kind: bytes, origin: bytes) -> memoryview | None:
    """Returns the payload of a cache; None if there is no cache, or it is damaged or of another origin.

    Args:
        path: path of the cache.
        kind: KIND_BYTES bytes, with the version of the layout.
        origin: 32 bytes that tell the state of the vault that the cache must be made from.
    """
    try:
        key = key_of(path.parent)
        content = memoryview(read_content(path, key))
    except (OSError, ValueError):
        return None
    payload = content[HEADER_BYTES:]
    header = kind + origin
    if content[: len(header)] != header:
        return None
    return payload if hmac.compare_digest(content[len(header) : HEADER_BYTES], _mac(key, header, payload)) else None


def write_payload(path: Path, kind: bytes, origin: bytes, *parts: Part) -> bool:
    """Writes a cache by way of another name, so that a reader sees the old one or the new one.

    Args:
        path: path of the cache.
        kind: as `read_payload`.
        origin: as `read_payload`.
        parts: the payload, one after the other.

    Returns:
        False where the folder cannot be written or is full: a cache is a help, and its lack no error.
    """
    try:
        key = key_of(path.parent)
        with replacing(path) as file, writing_content(file, key) as content:
            content.write(kind + origin + _mac(key, kind + origin, *parts))
            for step in _steps(parts):
                content.write(step)
    except OSError:
        return False
    return True


def _mac(key: VaultKey | None, header: bytes, *parts: Part) -> bytes:
    """Computes the MAC with a key that a stranger's vault cannot know: the libraries that read caches trust every byte."""
    mac = hmac.new(key.derived(b"cache") if key else cache_key(), header, hashlib.sha256)
    for step in _steps(parts):
        mac.update(step)
    return mac.digest()


def _steps(parts: Iterable[Part]) -> Iterator[memoryview]:
    """Cuts the parts into small pieces: Python runs nothing else while one piece is signed or encrypted."""
    for part in parts:
        # An empty array cannot be cast.
        content = memoryview(part).cast("B") if memoryview(part).nbytes else memoryview(b"")
        for at in range(0, len(content), _STEP_BYTES):
            yield content[at : at + _STEP_BYTES]


def caches(folder: Path) -> list[Path]:
    """Returns the paths of all caches of a vault."""
    return [path for suffix in SUFFIXES for path in folder.glob(f"*{suffix}")]


def remove_caches(folder: Path) -> None:
    """Removes every cache of a vault, for what is forgotten must not stay in one; they are overwritten.

    Raises:
        StoreError: one cannot be removed.
    """
    with told_plainly(folder):
        for path in caches(folder):
            wipe(path)


def remove_unfinished(folder: Path) -> None:
    """Overwrites and removes the unfinished files that killed processes left; only the writer may call it.

    They are overwritten because their content may have been meant to be encrypted.
    """
    # Not just any that ends so: somebody's own files may lie there, too.
    for own in ("vault.*", "conversations.*", *(f"*{suffix}.*" for suffix in SUFFIXES)):
        # SQLite writes a journal beside a database that is being copied.
        for unfinished in (*folder.glob(own + UNFINISHED), *folder.glob(f"{own}{UNFINISHED}-journal")):
            with suppress(OSError):
                wipe(unfinished)
