"""A model file that is still being downloaded (`NAME.gguf.part`), with its hash, a note of its source and its progress."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from noderag_local.system.disk.on_disk import sync
from noderag_local.system.disk.private_files import open_private, write_private


class Reporter(Protocol):
    """Receives the progress of the work; the command line shows it as a bar."""

    def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        """Receives that `done_bytes` of `total_bytes` of a stage are done; called often, so it must be fast."""

    def say(self, text: str) -> None:
        """Shows the user one sentence."""


class Silent:
    """A reporter that ignores everything."""

    def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        """Ignores the progress."""

    def say(self, text: str) -> None:
        """Ignores the sentence."""


BLOCK_BYTES = 1 << 20


class PartFile:
    """A file that grows by appending; a new object resumes the file that a killed process left.

    Bytes are counted only after they are written, so the file never claims more than it contains. Errors of writing (a full
    disk) are raised as OSError.
    """

    def __init__(self, target: Path, reporter: Reporter) -> None:
        """Opens the unfinished file of `target`, which is the path of the complete file."""
        self.target = target
        self.path = target.with_name(target.name + ".part")
        self._note_path = target.with_name(target.name + ".part.json")
        self._reporter = reporter
        self._hash = hashlib.sha256()
        self.size = 0
        """Number of bytes written and hashed."""

    def __enter__(self) -> Self:
        # Unbuffered, so that appended bytes survive a kill of this process.
        self._file = open_private(self.path, "ab+", buffering=0)
        self._hash_again(self._file.seek(0, os.SEEK_END))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if self.size == 0:
            self.path.unlink(missing_ok=True)

    def append(self, data: bytes) -> None:
        """Writes all of the data at the end of the file."""
        view = memoryview(data)
        while view:
            written = self._file.write(view)
            self._hash.update(view[:written])
            self.size += written
            view = view[written:]

    def cut_to(self, size: int) -> None:
        """Cuts the file to its first `size` bytes; it must have at least as many."""
        if size == self.size:
            return
        self._file.truncate(size)
        self._hash_again(size)

    @property
    def sha256(self) -> str:
        """SHA-256 of all bytes so far, hexadecimal."""
        return self._hash.hexdigest()

    @property
    def note(self) -> dict[str, str]:
        """The note written last; empty if there is none or it cannot be read."""
        try:
            note = json.loads(self._note_path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return note if isinstance(note, dict) else {}

    def write_note(self, note: dict[str, str]) -> None:
        """Writes a note of the source beside the file."""
        write_private(self._note_path, json.dumps(note))

    def finish(self) -> None:
        """Gives the file its final name after all of it has reached the disk."""
        os.fsync(self._file.fileno())
        os.replace(self.path, self.target)
        sync(self.target.parent)
        self._note_path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Deletes all bytes and starts over."""
        self.cut_to(0)
        self._note_path.unlink(missing_ok=True)

    def _hash_again(self, size: int) -> None:
        self._hash = hashlib.sha256()
        self._file.seek(0)
        self.size = 0
        while self.size < size:
            block = self._file.read(min(BLOCK_BYTES, size - self.size))
            if not block:
                break
            self._hash.update(block)
            self.size += len(block)
            self._reporter.progress("reading what is there", self.size, size)
