"""Takes calls of the kernel away from a command, as containers and old kernels do: `taking_away.py CALL… -- COMMAND…`.

By a filter of its own (BPF) and not by patching: what the command then meets is what a machine without the call has.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

EPERM, ENOSYS = 1, 38
CALLS = {
    # Name: number on x86_64, on aarch64, and how it fails.
    "unshare": (272, 97, EPERM),
    "landlock_create_ruleset": (444, 444, ENOSYS),
    "seccomp": (317, 277, ENOSYS),
}
NAMESPACES, LANDLOCK, SECCOMP = CALLS
"""Walls by the calls that put them up."""


def run_without(
    calls: Sequence[str], command: Sequence[str | Path], **options: object
) -> subprocess.CompletedProcess[str]:
    """Runs a command on a machine without some calls."""
    whole = [sys.executable, __file__, *calls, "--", *map(str, command)]
    return subprocess.run(whole, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def take_away(calls: Sequence[str]) -> None:
    """From this process, and all that it becomes or starts."""
    column = 0 if platform.machine() == "x86_64" else 1
    program = [(0x20, 0, 0, 0)]
    for call in calls:
        how = CALLS[call]
        program += [(0x15, 0, 1, how[column]), (0x06, 0, 0, 0x00050000 | how[2])]
    program.append((0x06, 0, 0, 0x7FFF0000))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *one) for one in program))
    head = struct.pack("@HxxxxxxQ", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, ctypes.c_char_p(head), 0, 0) == 0


if __name__ == "__main__":
    at = sys.argv.index("--")
    take_away(sys.argv[1:at])
    os.execv(sys.argv[at + 1], sys.argv[at + 1 :])
