"""Reads and writes caches, files that can be made again from the vault.

A cache is written completely or not at all, and is used only if its MAC is right; `verified_files` says when that is checked.
Layout: 8 bytes that mark the kind, 32 bytes that identify the state it was made from, a MAC of these and the payload, and the
payload. The MAC's key belongs to the vault or to this machine, so a cache that came with somebody else's vault is not used. In an
encrypted vault, the whole file is encrypted as in `sealed_file`.
"""

from __future__ import annotations

import hashlib
import hmac
import mmap
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.database.state_folder import cache_key
from noderag_local.storage.encryption.key_file import key_of
from noderag_local.storage.encryption.sealed_file import read_content, writing_content
from noderag_local.storage.encryption.vault_key import VaultKey
from noderag_local.storage.snapshots.verified_files import is_verified, note_verified
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
    """Returns the payload of a cache; None if the cache is missing, damaged or of another origin.

    Outside encrypted vaults it is a view of the file, of which only the pages that are used are read. It can be changed; the
    file stays as it is.

    Args:
        path: path of the cache.
        kind: KIND_BYTES bytes that mark the kind of cache and the version of its layout.
        origin: 32 bytes that identify the state of the vault from which the cache must be made.
    """
    try:
        key = key_of(path.parent)
        return _decrypted(path, key, kind + origin) if key else _mapped(path, kind + origin)
    except (OSError, ValueError):
        return None


def has_origin(path: Path, kind: bytes, origin: bytes) -> bool:
    """Returns whether a cache says that it is of this kind and origin; its content is not looked at. Arguments as above."""
    return _kind_and_origin(path) == kind + origin


def remove_caches_of_other_states(folder: Path, origins: Collection[bytes]) -> None:
    """Overwrites and removes the caches of a vault that were made from another state than those with these origins.

    Raises:
        StoreError: a cache cannot be removed.
    """
    with told_plainly(folder):
        for path in caches(folder):
            if _kind_and_origin(path)[KIND_BYTES:] not in origins:
                wipe(path)


def _kind_and_origin(path: Path) -> bytes:
    """Returns what a cache says of its kind and origin; b"" if it cannot be read."""
    length = KIND_BYTES + _DIGEST_BYTES
    try:
        key = key_of(path.parent)
        if key:
            return bytes(read_content(path, key)[:length])
        with path.open("rb") as file:
            return file.read(length)
    except (OSError, ValueError):
        return b""


def _decrypted(path: Path, key: VaultKey, header: bytes) -> memoryview | None:
    content = memoryview(bytearray(read_content(path, key)))
    payload = content[HEADER_BYTES:]
    if content[: len(header)] != header:
        return None
    return payload if hmac.compare_digest(content[len(header) : HEADER_BYTES], _mac(key, header, [payload])) else None


def _mapped(path: Path, header: bytes) -> memoryview | None:
    with path.open("rb") as file:
        beginning = file.read(HEADER_BYTES)
        mac = beginning[len(header) :]
        if not beginning.startswith(header) or len(beginning) < HEADER_BYTES:
            return None
        status = os.fstat(file.fileno())
        if not is_verified(path, status, mac):
            if not hmac.compare_digest(mac, _mac(None, header, _pieces(file))):
                return None
            note_verified(path, status, mac)
        if sys.platform == "win32":
            # There, a file cannot be replaced while it is mapped.
            return memoryview(bytearray(path.read_bytes()))[HEADER_BYTES:]
        view = mmap.mmap(file.fileno(), status.st_size, access=mmap.ACCESS_COPY)
    _note_view(path.parent, view)
    return memoryview(view)[HEADER_BYTES:]


class _View(NamedTuple):
    """A mapped cache file that this process reads."""

    folder: Path
    opened: float
    """Time of opening, by `time.monotonic`."""
    content: weakref.ref[mmap.mmap]


_views: list[_View] = []
_views_change = threading.Lock()


def _note_view(folder: Path, content: mmap.mmap) -> None:
    with _views_change:
        _views[:] = [view for view in _views if view.content() is not None]
        _views.append(_View(folder, time.monotonic(), weakref.ref(content)))


def were_overwritten(folder: Path, since: float) -> bool:
    """Returns whether a cache that this process reads has been overwritten with zeros, so that what was read may be wrong.

    Forgetting overwrites all caches, even during a search. A file is overwritten from its beginning, so a cache that still has its
    mark is still intact.

    Args:
        folder: folder of the vault.
        since: value of `time.monotonic`; only caches that were opened since then are checked.
    """
    with _views_change:
        contents = [view.content() for view in _views if view.folder == folder and view.opened >= since]
    return any(content is not None and content[:KIND_BYTES] == bytes(KIND_BYTES) for content in contents)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yields the rest of a file, which is not mapped for this: mapped pages would count as memory of the process."""
    while piece := file.read(_STEP_BYTES):
        yield piece


def write_payload(
    path: Path, kind: bytes, origin: bytes, *parts: Part, written: Callable[[int, int], None] = lambda _, __: None
) -> bool:
    """Writes a cache under a temporary name and renames it, so that a reader sees the old or the new file.

    Args:
        path: path of the cache.
        kind: as for `read_payload`.
        origin: as for `read_payload`.
        parts: the parts of the payload in order.
        written: called often with the number of bytes that are signed or written, and their total.

    Returns:
        False if the folder cannot be written or is full, which is no error, since caches only save time.
    """
    try:
        key = key_of(path.parent)
        # Each byte is signed first and then written.
        total = 2 * sum(memoryview(part).nbytes for part in parts)
        with replacing(path) as file, writing_content(file, key) as content:
            content.write(kind + origin + _mac(key, kind + origin, _told(parts, 0, total, written)))
            for step in _told(parts, total // 2, total, written):
                content.write(step)
    except OSError:
        return False
    return True


def _mac(key: VaultKey | None, header: bytes, parts: Iterable[Part]) -> bytes:
    """Computes the MAC of a cache with a secret key, since the libraries that read caches trust every byte."""
    mac = hmac.new(key.derived(b"cache") if key else cache_key(), header, hashlib.sha256)
    for step in _steps(parts):
        mac.update(step)
    return mac.digest()


def _told(parts: Iterable[Part], done: int, total: int, written: Callable[[int, int], None]) -> Iterator[memoryview]:
    for step in _steps(parts):
        yield step
        done += len(step)
        written(done, total)


def _steps(parts: Iterable[Part]) -> Iterator[memoryview]:
    """Yields the parts in small pieces, since other threads wait while a piece is signed or encrypted."""
    for part in parts:
        # An empty array cannot be cast.
        content = memoryview(part).cast("B") if memoryview(part).nbytes else memoryview(b"")
        for at in range(0, len(content), _STEP_BYTES):
            yield content[at : at + _STEP_BYTES]


def caches(folder: Path) -> list[Path]:
    """Returns the paths of all caches of a vault."""
    return [path for suffix in SUFFIXES for path in folder.glob(f"*{suffix}")]


@contextmanager
def overwritten_caches(folder: Path) -> Iterator[None]:
    """Overwrites the content of every cache of a vault after the block, since it may contain forgotten text.

    Caches that the block writes anew stay, and the others are removed. The block may read the old ones until its end. A kill
    leaves them to `remove_unfinished`.

    Raises:
        StoreError: a cache cannot be removed.
    """
    with told_plainly(folder):
        old = {path: path.with_name(f"{path.name}.old{UNFINISHED}") for path in caches(folder)}
        try:
            for path, aside in old.items():
                wipe(aside)
                os.link(path, aside)
        except OSError:
            # Some file systems have no second names; then nothing is left to make the caches from.
            remove_caches(folder)
        try:
            yield
        finally:
            for path, aside in old.items():
                if aside.exists() and path.exists() and path.samefile(aside):
                    path.unlink()
                wipe(aside)


def remove_caches(folder: Path) -> None:
    """Overwrites and removes every cache of a vault, since caches may contain forgotten text.

    Raises:
        StoreError: a cache cannot be removed.
    """
    with told_plainly(folder):
        for path in caches(folder):
            wipe(path)


def remove_unfinished(folder: Path) -> None:
    """Overwrites and removes the unfinished files that killed processes left; only the vault's writer may call this.

    They are overwritten because they may hold content that was about to be encrypted.
    """
    # Only names that noderag makes: the user's own files may have the same ending.
    for own in ("vault.*", "conversations.*", *(f"*{suffix}.*" for suffix in SUFFIXES)):
        # SQLite writes a journal beside a database that is being copied.
        for unfinished in (*folder.glob(own + UNFINISHED), *folder.glob(f"{own}{UNFINISHED}-journal")):
            with suppress(OSError):
                wipe(unfinished)
