"""Seccomp of the Linux kernel (3.17 and later): a small program (BPF) decides which system calls a process may make.

The program looks at the number of a call and at its arguments as numbers; what an argument points to it cannot see. Once
installed it stays to the end of the process. Structures and numbers are those of linux/seccomp.h, linux/filter.h and
linux/audit.h. libseccomp would do the same, and is under the LGPL.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from noderag_local.system.walls.kernel import PR_SET_NO_NEW_PRIVS, control_process, system_call

_SECCOMP = {0xC000003E: 317, 0xC00000B7: 277}
"""Number of seccomp(2) on each machine."""
_SET_MODE_FILTER, _ALL_THREADS = 1, 1

_ALLOW, _REFUSE, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000

_LOAD, _EQUALS, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
"""BPF: load a word, jump if it equals, jump if it has any of these bits, end."""
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16
"""Offsets in struct seccomp_data."""
_LONGEST_JUMP = 255

Instruction = tuple[int, int, int, int]
"""A BPF instruction: code, number of instructions to skip if true, number to skip if false, operand."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A type of processor."""

    audit_number: int
    """AUDIT_ARCH_… of the machine: call numbers differ between machines."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition on the lower 32 bits of one argument; the kernel reads no more of flags, commands and ids."""

    argument: int
    values: tuple[int, ...] = ()
    """Allowed values of the argument; empty allows any."""
    forbidden_bits: int = 0

    @classmethod
    def one_of(cls, argument: int, *values: int) -> Condition:
        """Returns the condition that an argument is one of some values."""
        return cls(argument, values)

    @classmethod
    def no_bits(cls, argument: int, bits: int) -> Condition:
        """Returns the condition that an argument has none of some bits set."""
        return cls(argument, forbidden_bits=bits)


@dataclass(frozen=True, slots=True)
class Filter:
    """System calls that are allowed; all others fail with `errno_of_others`."""

    machine: Machine
    calls: Mapping[int, Condition | None]
    """Number of the call -> condition under which it is allowed; None means always."""
    errno_of_others: int = errno.ENOSYS


def install(machine: Machine, instructions: Sequence[Instruction]) -> bool:
    """Installs a filter for all threads of this process and all processes that it starts; returns whether the kernel accepted it."""
    number = _SECCOMP[machine.audit_number]
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
    made = ctypes.create_string_buffer(code, len(code))
    # struct sock_fprog: how many, padding, where.
    head = struct.pack("@HxxxxxxQ", len(code) // 8, ctypes.addressof(made))
    reference = ctypes.create_string_buffer(head, len(head))
    if not control_process(PR_SET_NO_NEW_PRIVS, 1):
        return False
    return system_call(number, ctypes.c_uint(_SET_MODE_FILTER), ctypes.c_uint(_ALL_THREADS), reference) == 0


def program(wanted: Filter) -> list[Instruction]:
    """Returns the filter as a program. Calls of another machine, which have other numbers, end the process."""
    made = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUALS, 1, 0, wanted.machine.audit_number),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for number, condition in wanted.calls.items():
        what_follows = _tested(condition, wanted.errno_of_others) if condition else [(_RETURN, 0, 0, _ALLOW)]
        made += [(_EQUALS, 0, len(what_follows), number), *what_follows]
    return [*made, (_RETURN, 0, 0, _REFUSE | wanted.errno_of_others)]


def _tested(condition: Condition, errno_of_others: int) -> list[Instruction]:
    """Returns instructions that check one argument and then allow or refuse the call."""
    tests: list[Instruction] = []
    if condition.values:
        left = range(len(condition.values), 0, -1)
        tests += [(_EQUALS, skipped, 0, value) for skipped, value in zip(left, condition.values, strict=True)]
    else:
        tests.append((_ANY_BIT, 0, 1, condition.forbidden_bits))
    outcome = [(_RETURN, 0, 0, _REFUSE | errno_of_others), (_RETURN, 0, 0, _ALLOW)]
    whole = [(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * condition.argument), *tests, *outcome]
    assert len(whole) <= _LONGEST_JUMP
    return whole
