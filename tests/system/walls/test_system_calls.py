"""The list of calls that are let through, on both machines: run on a small processor of BPF, as one machine at most is at hand."""

from __future__ import annotations

import struct

import pytest
from hostile.taken_over import NUMBERS

from noderag_local.system.walls.seccomp import Instruction, Machine, program
from noderag_local.system.walls.system_calls import _AARCH64, _X86_64, computing

ALLOWED, KILLED, REFUSED = 0x7FFF0000, 0x80000000, 0x00050000 | 38
MACHINES = [pytest.param(_X86_64, 0, id="x86_64"), pytest.param(_AARCH64, 1, id="aarch64")]
PROCESS = 4711
CONDITIONAL = {"openat", "kill", "tgkill", "ioctl"}
"""Calls of the attacks that are let through with some arguments."""


def outcome(instructions: list[Instruction], machine: int, number: int, *arguments: int) -> int:
    """What the program says of a call."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, machine, 0, *padded)
    at = value = 0
    while True:
        code, if_true, if_false, operand = instructions[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
        elif code == 0x15:
            at += if_true if value == operand else if_false
        elif code == 0x45:
            at += if_true if value & operand else if_false
        else:
            assert code == 0x06
            return operand


@pytest.mark.parametrize(("machine", "column"), MACHINES)
def test_no_call_of_an_attack_is_let_through(machine: Machine, column: int) -> None:
    instructions = program(computing(machine, PROCESS))
    for name, numbers in NUMBERS.items():
        if name not in CONDITIONAL:
            assert outcome(instructions, machine.audit_number, numbers[column]) == REFUSED, name


@pytest.mark.parametrize(("machine", "column"), MACHINES)
def test_calls_are_let_through_by_their_arguments(machine: Machine, column: int) -> None:
    instructions = program(computing(machine, PROCESS))

    def asked(name: str, *arguments: int) -> int:
        return outcome(instructions, machine.audit_number, NUMBERS[name][column], *arguments)

    assert asked("openat", 0, 0, 0o2000000) == ALLOWED  # O_RDONLY | O_CLOEXEC
    for flags in (0o1, 0o2, 0o100, 0o1000, 0o2000, 0o20200000):
        assert asked("openat", 0, 0, flags) == REFUSED
    for name in ("kill", "tgkill"):
        assert asked(name, PROCESS, 6) == ALLOWED
        assert asked(name, PROCESS + 1, 6) == asked(name, 0xFFFFFFFF, 6) == REFUSED
    assert asked("ioctl", 0, 0x5401) == ALLOWED
    assert asked("ioctl", 0, 0x5412) == REFUSED


@pytest.mark.parametrize(("machine", "column"), MACHINES)
def test_what_no_kernel_has_yet_and_other_machines_are_refused(machine: Machine, column: int) -> None:
    instructions = program(computing(machine, PROCESS))
    assert {outcome(instructions, machine.audit_number, number) for number in range(470, 2000)} == {REFUSED}
    x32 = {outcome(instructions, machine.audit_number, number | 0x40000000) for number in range(600)}
    assert x32 == {REFUSED}
    assert outcome(instructions, 0x40000003, 3) == KILLED
