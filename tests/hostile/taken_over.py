"""A reader that was taken over: it asks the kernel itself, past the interpreter, for what the file says.

A file is a line with an attack's name and what the attack needs; the document that comes back tells how it ended: "done", or the
name of the error. The reading process imports it by its name, as it does with the real readers.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import socket
from collections.abc import Callable, Iterator
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.extract import ExtractedBlock, ExtractedDocument, Extractor

MODULE = __name__

NUMBERS = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "sendto": (44, 206),
    "io_uring_setup": (425, 425),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "execve": (59, 221),
    "execveat": (322, 281),
    "clone": (56, 220),
    "clone3": (435, 435),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "mount": (165, 40),
    "unshare": (272, 97),
    "setns": (308, 268),
    "userfaultfd": (323, 282),
    "memfd_create": (319, 279),
    "openat": (257, 56),
    "openat2": (437, 437),
    "truncate": (76, 45),
    "unlinkat": (263, 35),
    "renameat2": (316, 276),
    "mkdirat": (258, 34),
    "symlinkat": (266, 36),
    "fchmodat": (268, 53),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "prctl": (157, 167),
    "ioctl": (16, 29),
    "pipe2": (293, 59),
}
"""Call -> number on x86_64, on aarch64."""

_X32 = 0x40000000
_AT_FDCWD = -100


def call(name: str, *arguments: object, plus: int = 0) -> str:
    """How the kernel answers: "done", or the name of the error."""
    number = NUMBERS[name][platform.machine() != "x86_64"] + plus
    libc = ctypes.CDLL(None, use_errno=True)
    longs = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    answer = libc.syscall(ctypes.c_long(number), *longs)
    return "done" if answer >= 0 else errno.errorcode[ctypes.get_errno()]


def _by_32_bits(parent: int, path: bytes) -> str:
    """socket(2) of 32-bit x86, which has other numbers: 359, by int 0x80."""
    code = b"\x53\xb8\x67\x01\x00\x00\xbb\x02\x00\x00\x00\xb9\x01\x00\x00\x00\x31\xd2\xcd\x80\x5b\xc3"
    room = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    room.write(code)
    answer = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(room)))()
    return "done" if answer >= 0 else errno.errorcode[-answer]


def _open(path: bytes, flags: int) -> str:
    return call("openat", _AT_FDCWD, path, flags, 0o600)


def _nothing() -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(256)


Attack = Callable[[int, bytes], str]
"""(number of the process that started this one, a path) → how it ended"""

CONNECTIONS: dict[str, Attack] = {
    "a TCP socket": lambda parent, path: call("socket", socket.AF_INET, socket.SOCK_STREAM, 0),
    "a TCP socket of IPv6": lambda parent, path: call("socket", 10, socket.SOCK_STREAM, 0),
    "a UDP socket": lambda parent, path: call("socket", socket.AF_INET, socket.SOCK_DGRAM, 0),
    "a socket of the desktop's bus": lambda parent, path: call("socket", 1, socket.SOCK_STREAM, 0),
    "a netlink socket": lambda parent, path: call("socket", 16, socket.SOCK_RAW, 0),
    "a raw packet socket": lambda parent, path: call("socket", 17, socket.SOCK_RAW, 0),
    "a virtual machine's socket": lambda parent, path: call("socket", 40, socket.SOCK_STREAM, 0),
    "a pair of sockets": lambda parent, path: call("socketpair", 1, socket.SOCK_STREAM, 0, _nothing()),
    "connecting what is open": lambda parent, path: call("connect", 0, _nothing(), 16),
    "binding what is open": lambda parent, path: call("bind", 0, _nothing(), 16),
    "sending a datagram": lambda parent, path: call("sendto", 0, _nothing(), 1, 0, _nothing(), 16),
    "a ring of requests": lambda parent, path: call("io_uring_setup", 1, _nothing()),
    "a socket by the numbers of x32": lambda parent, path: call("socket", 2, 1, 0, plus=_X32),
}

PROCESSES: dict[str, Attack] = {
    "a process": lambda parent, path: call("clone", 17, 0, 0, 0, 0),
    "a process by the newer call": lambda parent, path: call("clone3", _nothing(), 64),
    "a program": lambda parent, path: call("execve", b"/bin/true", 0, 0),
    "a program by its descriptor": lambda parent, path: call("execveat", _AT_FDCWD, b"/bin/true", 0, 0, 0),
    "stopping its parent": lambda parent, path: call("ptrace", 16, parent, 0, 0),
    "reading its parent's memory": lambda parent, path: call("process_vm_readv", parent, 0, 0, 0, 0, 0),
    "writing its parent's memory": lambda parent, path: call("process_vm_writev", parent, 0, 0, 0, 0, 0),
    "a handle of its parent": lambda parent, path: call("pidfd_open", parent, 0),
    "its parent's open files": lambda parent, path: call("pidfd_getfd", 0, 0, 0),
    "ending its parent": lambda parent, path: call("kill", parent, 0),
    "ending a thread of its parent": lambda parent, path: call("tgkill", parent, parent, 0),
    "ending all processes": lambda parent, path: call("kill", -1, 0),
}

THE_KERNEL: dict[str, Attack] = {
    "the person's keys": lambda parent, path: call("keyctl", 0, -3, 0),
    "a new key": lambda parent, path: call("add_key", b"user", b"name", b"value", 5, -3),
    "a program in the kernel": lambda parent, path: call("bpf", 0, _nothing(), 128),
    "a look at the processor's events": lambda parent, path: call("perf_event_open", _nothing(), 0, -1, -1, 0),
    "a mount": lambda parent, path: call("mount", b"none", path, b"tmpfs", 0, 0),
    "a namespace": lambda parent, path: call("unshare", 0x10000000),
    "another's namespace": lambda parent, path: call("setns", 0, 0),
    "faults of its own memory": lambda parent, path: call("userfaultfd", 1),
    "a file of memory": lambda parent, path: call("memfd_create", b"name", 0),
    "images of its memory again": lambda parent, path: call("prctl", 4, 1, 0, 0, 0),
    "typing into the terminal": lambda parent, path: call("ioctl", 0, 0x5412, _nothing()),
}

CHANGES: dict[str, Attack] = {
    "writing a file": lambda parent, path: _open(path, os.O_WRONLY),
    "writing and reading a file": lambda parent, path: _open(path, os.O_RDWR),
    "emptying a file": lambda parent, path: _open(path, os.O_TRUNC),
    "making a file": lambda parent, path: _open(path + b".new", os.O_CREAT | os.O_EXCL | os.O_WRONLY),
    "making a file without a name": lambda parent, path: _open(os.path.dirname(path), 0o20200000 | os.O_RDWR),
    "writing by the newer call": lambda parent, path: call("openat2", _AT_FDCWD, path, _nothing(), 24),
    "cutting a file": lambda parent, path: call("truncate", path, 0),
    "removing a file": lambda parent, path: call("unlinkat", _AT_FDCWD, path, 0),
    "renaming a file": lambda parent, path: call("renameat2", _AT_FDCWD, path, _AT_FDCWD, path + b".gone", 0),
    "making a folder": lambda parent, path: call("mkdirat", _AT_FDCWD, path + b".folder", 0o700),
    "making a link": lambda parent, path: call("symlinkat", path, _AT_FDCWD, path + b".link"),
    "opening a file to all": lambda parent, path: call("fchmodat", _AT_FDCWD, path, 0o777),
}

READINGS: dict[str, Attack] = {
    "reading a file": lambda parent, path: _open(path, os.O_RDONLY),
    "listing a folder": lambda parent, path: _open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY),
    "reading its parent's environment": lambda parent, path: _open(b"/proc/%d/environ" % parent, os.O_RDONLY),
    "reading its parent's memory by a file": lambda parent, path: _open(b"/proc/%d/mem" % parent, os.O_RDONLY),
    "reading its own environment": lambda parent, path: _open(b"/proc/self/environ", os.O_RDONLY),
}

OTHERS: dict[str, Attack] = {
    "a socket by the numbers of 32 bits": _by_32_bits,
    "nothing": lambda parent, path: "done",
}

ATTACKS = CONNECTIONS | PROCESSES | THE_KERNEL | CHANGES | READINGS | OTHERS


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    for line in file.read().decode().splitlines():
        attack, parent, path = line.split("\t")
        outcome = ATTACKS[attack](int(parent), os.fsencode(path))
        yield ExtractedDocument(attack, (ExtractedBlock(BlockKind.PARAGRAPH, f"{attack}: {outcome}"),))


EXTRACTOR = Extractor(_read)
