"""Limits a process to the few system calls that computing needs.

The list names the allowed calls, so calls of later kernels are refused, too. No allowed call opens a connection, starts a process
or a thread, reads another process, or changes a file. A refused call fails as in a kernel without this call, for which the C
library has a fallback.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass

from noderag_local.system.walls.seccomp import Condition, Filter, Machine, install, program

# Numbers of the calls: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of the kernel.
_X86_64 = Machine(0xC000003E)
_AARCH64 = Machine(0xC00000B7)
_MACHINES = {"x86_64": _X86_64, "aarch64": _AARCH64}


@dataclass(frozen=True, slots=True)
class _Call:
    """A system call, with its number on each machine; None where a machine does not have it."""

    name: str
    x86_64: int | None
    aarch64: int | None

    def number(self, machine: Machine) -> int | None:
        return self.x86_64 if machine is _X86_64 else self.aarch64


_ALWAYS = (
    # What is open already: the streams to and from the parent, and modules that are being loaded.
    _Call("read", 0, 63),
    _Call("readv", 19, 65),
    _Call("pread64", 17, 67),
    _Call("write", 1, 64),
    _Call("writev", 20, 66),
    _Call("lseek", 8, 62),
    _Call("close", 3, 57),
    _Call("close_range", 436, 436),
    _Call("dup", 32, 23),
    _Call("dup2", 33, None),
    _Call("dup3", 292, 24),
    _Call("poll", 7, None),
    _Call("ppoll", 271, 73),
    _Call("select", 23, None),
    _Call("pselect6", 270, 72),
    # What lies where; whether it may be opened is asked of the wall around files.
    _Call("stat", 4, None),
    _Call("lstat", 6, None),
    _Call("fstat", 5, 80),
    _Call("newfstatat", 262, 79),
    _Call("statx", 332, 291),
    _Call("access", 21, None),
    _Call("faccessat", 269, 48),
    _Call("faccessat2", 439, 439),
    _Call("getdents64", 217, 61),
    _Call("getcwd", 79, 17),
    _Call("readlink", 89, None),
    _Call("readlinkat", 267, 78),
    # Memory.
    _Call("brk", 12, 214),
    _Call("mmap", 9, 222),
    _Call("mprotect", 10, 226),
    _Call("mremap", 25, 216),
    _Call("munmap", 11, 215),
    _Call("madvise", 28, 233),
    _Call("membarrier", 324, 283),
    # Locks and signals of its own.
    _Call("futex", 202, 98),
    _Call("set_robust_list", 273, 99),
    _Call("rseq", 334, 293),
    _Call("sched_yield", 24, 124),
    _Call("rt_sigaction", 13, 134),
    _Call("rt_sigprocmask", 14, 135),
    _Call("rt_sigreturn", 15, 139),
    _Call("sigaltstack", 131, 132),
    _Call("restart_syscall", 219, 128),
    # Time, chance, and what it is itself.
    _Call("clock_gettime", 228, 113),
    _Call("clock_getres", 229, 114),
    _Call("clock_nanosleep", 230, 115),
    _Call("nanosleep", 35, 101),
    _Call("gettimeofday", 96, 169),
    _Call("time", 201, None),
    _Call("times", 100, 153),
    _Call("getrandom", 318, 278),
    _Call("getpid", 39, 172),
    _Call("getppid", 110, 173),
    _Call("gettid", 186, 178),
    _Call("getuid", 102, 174),
    _Call("geteuid", 107, 175),
    _Call("getgid", 104, 176),
    _Call("getegid", 108, 177),
    _Call("getrusage", 98, 165),
    _Call("getrlimit", 97, 163),
    _Call("setrlimit", 160, 164),
    _Call("sched_getaffinity", 204, 123),
    _Call("getcpu", 309, 168),
    _Call("uname", 63, 160),
    _Call("sysinfo", 99, 179),
    _Call("exit", 60, 93),
    _Call("exit_group", 231, 94),
)

_OPEN = _Call("open", 2, None)
_OPENAT = _Call("openat", 257, 56)
_FCNTL = _Call("fcntl", 72, 25)
_IOCTL = _Call("ioctl", 16, 29)
_PRLIMIT64 = _Call("prlimit64", 302, 261)
_KILL = _Call("kill", 62, 129)
_TGKILL = _Call("tgkill", 234, 131)

_ACCESS_MODE, _CREAT, _TRUNC, _APPEND, _TMPFILE = 0o3, 0o100, 0o1000, 0o2000, 0o20000000
_WRITING = _ACCESS_MODE | _CREAT | _TRUNC | _APPEND | _TMPFILE
_DUPFD, _GETFD, _SETFD, _GETFL, _DUPFD_CLOEXEC = 0, 1, 2, 3, 1030
_IS_TERMINAL, _TERMINAL_SIZE, _STAYS_OPEN, _CLOSES_ON_EXEC = 0x5401, 0x5413, 0x5450, 0x5451
"""Excludes TIOCSTI, which could type commands into the user's terminal."""


def only_compute() -> bool:
    """Limits this process to the system calls that computing needs; returns whether the kernel enforces it."""
    machine = _MACHINES.get(platform.machine())
    return machine is not None and install(machine, program(computing(machine, os.getpid())))


def computing(machine: Machine, process: int) -> Filter:
    """Returns the system calls that a computing process may make.

    Args:
        machine: kind of processor.
        process: id of the process: a library may end its own process by a signal, and no other.
    """
    calls: dict[int, Condition | None] = {}
    for call in _ALWAYS:
        calls |= _rule(call, machine, None)
    for call, condition in (
        (_OPEN, Condition.no_bits(1, _WRITING)),
        (_OPENAT, Condition.no_bits(2, _WRITING)),
        (_FCNTL, Condition.one_of(1, _DUPFD, _GETFD, _SETFD, _GETFL, _DUPFD_CLOEXEC)),
        (_IOCTL, Condition.one_of(1, _IS_TERMINAL, _TERMINAL_SIZE, _STAYS_OPEN, _CLOSES_ON_EXEC)),
        (_PRLIMIT64, Condition.one_of(0, 0)),
        (_KILL, Condition.one_of(0, process)),
        (_TGKILL, Condition.one_of(0, process)),
    ):
        calls |= _rule(call, machine, condition)
    return Filter(machine, calls)


def _rule(call: _Call, machine: Machine, condition: Condition | None) -> dict[int, Condition | None]:
    number = call.number(machine)
    return {} if number is None else {number: condition}
