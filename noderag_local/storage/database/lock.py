"""The lock that lets only one process write to a vault; readers never wait."""

from __future__ import annotations

import json
import os
import shlex
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from noderag_local.domain.errors import StoreError, VaultLocked
from noderag_local.storage.database.sqlite_errors import file_error, told_plainly
from noderag_local.system.disk.private_files import FILE_MODE, open_private

LOCK_NAME = "vault.lock"
HOLDER_NAME = "vault.lock.json"


class WriterLock:
    """Lock of a vault's writer, held from `take` to `release`.

    The operating system holds the lock and releases it when the process ends in any way. The JSON file beside the lock only
    names the process that holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._holder = folder / HOLDER_NAME
        self._lock = FileLock(folder / LOCK_NAME, timeout=0, mode=FILE_MODE)

    def take(self) -> None:
        """Takes the lock, or fails at once.

        Raises:
            VaultLocked: another process, or another `Store` of this process, holds the lock.
            StoreError: the folder is read-only, or its file system does not support locks.
        """
        try:
            self._lock.acquire()
        except Timeout:
            raise VaultLocked(
                f"{self._folder} is being indexed by {self._held_by()}; wait for it or stop it."
            ) from None
        except NotImplementedError as error:
            raise StoreError(
                f"{self._folder} lies on a file system without locks. Name a vault on another disk with --vault DIR."
            ) from error
        # Stands after `Timeout`, which is a subclass.
        except OSError as error:
            raise file_error(error, self._holder) from error
        try:
            with told_plainly(self._holder):
                self._sign()
        except StoreError:
            self.release()
            raise

    def release(self) -> None:
        """Releases the lock; does nothing if it is not held."""
        if self._lock.is_locked:
            # If removing fails, the next holder overwrites the file.
            with suppress(OSError):
                self._holder.unlink(missing_ok=True)
            self._lock.release()

    def _sign(self) -> None:
        signature = {
            "pid": os.getpid(),
            "command": shlex.join(sys.argv[:2]),
            "since": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
        with open_private(self._holder, "wb") as file:
            file.write(json.dumps(signature).encode())

    def _held_by(self) -> str:
        # The holder may be writing or removing this file at the same time.
        try:
            signature = json.loads(self._holder.read_text(encoding="utf-8"))
            since = datetime.fromisoformat(signature["since"])
            return f"process {int(signature['pid'])} ({signature['command']}) since {since:%H:%M}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"
