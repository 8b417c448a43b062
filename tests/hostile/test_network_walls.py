"""A reader that a file has taken over opens no connection, starts no process, and reaches no other one."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest
from hostile.attacking import outcomes
from hostile.taken_over import CONNECTIONS, PROCESSES, THE_KERNEL
from hostile.taking_away import LANDLOCK, NAMESPACES, SECCOMP

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these walls")

ALL = [*CONNECTIONS, *PROCESSES, *THE_KERNEL]


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    path = tmp_path / "diary.md"
    path.write_text("Dear diary", encoding="utf-8")
    return path


@pytest.mark.parametrize("missing", [(), (NAMESPACES,)], ids=["all walls", "no namespaces"])
def test_the_kernel_refuses_every_call_that_reaches_out(diary: Path, missing: tuple[str, ...]) -> None:
    assert outcomes(ALL, diary, missing) == dict.fromkeys(ALL, "ENOSYS")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86 has calls of 32 bits beside those of 64")
@pytest.mark.parametrize("missing", [(), (NAMESPACES,)], ids=["all walls", "no namespaces"])
def test_calls_of_another_machine_end_the_reader(diary: Path, missing: tuple[str, ...]) -> None:
    told = outcomes(["nothing", "a socket by the numbers of 32 bits"], diary, missing)
    assert "crash (SIGSYS)" in told["refused"]


def test_without_namespaces_and_seccomp_no_foreign_file_is_handed_over(diary: Path) -> None:
    told = outcomes(["nothing"], diary, [NAMESPACES, SECCOMP])
    assert told.keys() == {"refused"}
    assert "away from the network." in told["refused"]
    assert "formats_without_walls = true" in told["refused"]


def test_without_any_wall_both_are_told(diary: Path) -> None:
    told = outcomes(["nothing"], diary, [NAMESPACES, SECCOMP, LANDLOCK])
    assert "away from your files and the network." in told["refused"]


def test_a_setting_lets_them_be_read_all_the_same(diary: Path) -> None:
    assert outcomes(["nothing"], diary, [NAMESPACES, SECCOMP, LANDLOCK], without_walls=True) == {"nothing": "done"}


def test_a_namespace_alone_keeps_from_the_network(diary: Path) -> None:
    assert outcomes(["nothing"], diary, [SECCOMP]) == {"nothing": "done"}
