"""A step of a vault's life in a process of its own, and what is done to that process: killed, or its calls to the system made to fail."""

from __future__ import annotations

import math
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from noderag_local.domain.errors import NoderagError

TOLD, WRONG = 10, 11
"""Exit codes of a step: an error that says what to do; anything else."""
FAILING = {
    "write": "write,pwrite64,pwritev,ftruncate,fallocate",
    "sync": "fsync,fdatasync",
    "rename": "rename,renameat,renameat2,link,unlink,unlinkat",
    "open": "openat,mkdir,mkdirat",
    "read": "pread64",
}
"""What fails together -> the calls of Linux."""
TO_A_THREAD = r'"\1\0\0\0\0\0\0\0", 8'
"""What strace shows of a write to an eventfd."""
RECORDING = (
    "-y",
    "-xx",
    "-s",
    str(1 << 26),
    "-e",
    "trace=openat,write,pwrite64,ftruncate,lseek,sendfile,copy_file_range,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,"
    "rmdir,link,linkat,fsync,fdatasync,pwritev,writev,fallocate,truncate",
)
"""How strace writes down all that reaches a file: paths and data as hexadecimal bytes."""
ERRORS = ("EIO", "ENOSPC")
MOST_CALLS = 3000
ATTACH_SECONDS = 10.0


@dataclass(frozen=True)
class Refusal:
    """One call to the system that fails, or all from that one on, as on a disk that is gone."""

    kind: str
    """One of FAILING."""
    error: str
    first: int
    """The how manieth of its kind, counted from 1."""
    lasts: bool

    @property
    def expression(self) -> str:
        """As strace wants it."""
        return f"inject={FAILING[self.kind]}:error={self.error}:when={self.first}{'+' if self.lasts else ''}"


def any_refusal(chance: random.Random) -> Refusal:
    """Early calls as often as late ones."""
    first = int(math.exp(chance.uniform(0, math.log(MOST_CALLS))))
    return Refusal(chance.choice(sorted(FAILING)), chance.choice(ERRORS), first, chance.random() < 0.3)


@dataclass(frozen=True)
class Blow:
    """What is done to a process."""

    delay_seconds: float | None = None
    """Until it is killed."""
    limit_bytes: int | None = None
    """Longest file that it may write."""
    refusal: Refusal | None = None
    record: Path | None = None
    """No blow: all that it writes is noted down in this file."""


@dataclass(frozen=True)
class Outcome:
    """How a step ended."""

    code: int
    """0, TOLD, WRONG, or the signal that ended it, negative."""
    said: str = ""
    """The error's words."""
    struck: bool = False
    """Whether a call was refused."""
    struck_no_file: bool = False
    """Whether one thread's word to another was refused, which no disk does: watchfiles breaks down."""


def can_refuse() -> bool:
    """Whether strace is here and may hold on to other processes."""
    if shutil.which("strace") is None:
        return False
    tried = subprocess.run(["strace", "-qq", "-e", "trace=none", "true"], capture_output=True, check=False)
    return tried.returncode == 0


def run_step(step: Callable[[], None], blow: Blow, scratch: Path, *, folder: Path) -> Outcome:
    """Runs a step in a process of its own.

    Args:
        scratch: folder for notes between the processes.
        folder: in which opening and reading are made to fail; a module that Python cannot load is no fault of a vault's.
    """
    said, struck = scratch / "said", scratch / "struck calls"
    for path in (said, struck):
        path.unlink(missing_ok=True)
    ready, go = os.pipe()
    child = os.fork()
    if not child:
        os.close(go)
        _be(step, blow, said, ready)
    os.close(ready)
    tracer = None
    if blow.refusal:
        tracer = _traced(child, struck, _refusing(blow.refusal, folder))
    elif blow.record:
        tracer = _traced(child, blow.record, RECORDING)
    os.write(go, b".")
    os.close(go)
    if blow.delay_seconds is not None:
        time.sleep(blow.delay_seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if tracer is not None:
        tracer.wait()
    words = said.read_text("utf-8", "replace") if said.exists() else ""
    refused = struck.read_text("utf-8", "replace") if struck.exists() else ""
    return Outcome(os.waitstatus_to_exitcode(status), words, "(INJECTED)" in refused, TO_A_THREAD in refused)


def _be(step: Callable[[], None], blow: Blow, said: Path, ready: int) -> None:
    """The process itself; never comes back."""
    code = WRONG
    try:
        os.read(ready, 1)
        if blow.limit_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (blow.limit_bytes, blow.limit_bytes))
        step()
        code = 0
    except NoderagError as error:
        code = TOLD
        _say(said, error)
    except BaseException as error:  # noqa: BLE001 - told by the parent
        _say(said, error)
    finally:
        os._exit(code)


def _say(said: Path, error: BaseException) -> None:
    said.write_text(f"{type(error).__name__}: {error}"[:500], "utf-8")


def _refusing(refusal: Refusal, folder: Path) -> list[str]:
    # What is written or renamed is the vault's anyway.
    within = _only_in(folder) if refusal.kind in ("open", "read") else []
    return ["-e", f"trace={FAILING[refusal.kind]}", "-e", refusal.expression, *within]


def _traced(child: int, log: Path, how: Sequence[str]) -> subprocess.Popen[bytes]:
    """A tracer that holds the process; the process waits until it does."""
    command = ["strace", "-f", "-qq", "-o", str(log), *how, "-p", str(child)]
    tracer = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + ATTACH_SECONDS
    while "TracerPid:\t0\n" in Path(f"/proc/{child}/status").read_text("ascii", "replace"):
        if time.monotonic() > deadline:
            raise TimeoutError("strace does not get hold of the process")
        time.sleep(0.005)
    return tracer


def _only_in(folder: Path) -> list[str]:
    """strace knows no patterns of paths, so these are the files of a vault by name."""
    names = ("vault.lock", "vault.lock.json", "vault.key", "backups", "imported", "carried.jsonl")
    files = [
        f"{name}{end}" for name in ("vault.sqlite", "conversations.sqlite") for end in ("", "-wal", "-shm", "-journal")
    ]
    inside = [str(path) for path in folder.rglob("*")]
    named = [str(folder), *(str(folder / name) for name in (*names, *files)), *inside]
    return [part for path in dict.fromkeys(named) for part in ("-P", path)]
