"""Measures the machine's resources for a model: physical cores and free memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def physical_cores() -> int:
    """Returns the number of physical cores that this process may use; hyper-threads would slow llama.cpp down."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    if sys.platform == "darwin":
        return max(1, min(_macos_performance_cores() or len(usable), len(usable)))
    siblings = {_first_sibling(cpu) for cpu in usable}
    return max(1, len(siblings))


def _first_sibling(cpu: int) -> str:
    """Returns a name shared by the hyper-threads of one core; the CPU's own number if the kernel does not say."""
    listing = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return listing.read_text(encoding="ascii").strip()
    except OSError:
        return str(cpu)


def _macos_performance_cores() -> int | None:
    for key in ("hw.perflevel0.physicalcpu", "hw.physicalcpu"):
        process = subprocess.run(["/usr/sbin/sysctl", "-n", key], capture_output=True, text=True, check=False)
        if process.returncode == 0 and process.stdout.strip().isdigit():
            return int(process.stdout)
    return None


ROOM_BYTES = 500_000_000
"""Memory that an open model needs in addition to the size of its file: for its context and computations."""


def needed_memory_bytes(file_bytes: int) -> int:
    """Returns about how much memory an open language model takes, by the size of its file."""
    return file_bytes + ROOM_BYTES


def available_memory_bytes() -> int | None:
    """Returns the bytes of memory that can be used without swapping; None on a system without /proc/meminfo."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None
