"""No other program of the same person looks into a process that has the vault's key, or that reads a stranger's file.

Where core dumps go to a program the kernel asks the same question as here, whether the process is dumpable; where a dump goes is
a setting of the whole machine, which no test may change.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hostile.taken_over_template import MODULE as TEMPLATE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who may look into a process")

DROP_FROM_BOUNDING_SET = 24
_LIBC = ctypes.CDLL(None)
TESTS = str(Path(__file__).parents[1])

LOOK = """
import ctypes, os, sys
process = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
try:
    open(f"/proc/{process}/mem", "rb").close()
    print("its memory")
except PermissionError:
    pass
try:
    open(f"/proc/{process}/environ", "rb").close()
    print("its variables")
except PermissionError:
    pass
if libc.ptrace(ctypes.c_long(16), ctypes.c_long(process), ctypes.c_long(0), ctypes.c_long(0)) == 0:
    print("its steps")
"""

ORDINARY = "import os; print(os.getpid(), flush=True); input()"
WITH_A_KEY = """
import os
from noderag_local.storage.encryption.vault_key import VaultKey, give
give(VaultKey.new())
print(os.getpid(), flush=True)
input()
"""
READING = f"""
import io, sys
sys.path.append({TESTS!r})
from helpers.reading_process import found_in, task_of
from ingest.formats.misbehaving import MODULE
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
with WorkerProcess() as process:
    documents = found_in(process, task_of("a.deed", 9, MODULE), io.BytesIO(b"patience\\n"))
    next(documents)
    (forking,) = process.process_ids
    with open(f"/proc/{{forking}}/task/{{forking}}/children") as readers:
        print(WHICH, flush=True)
    input()
"""
RENDERING = f"""
import json, subprocess, sys
sys.path.append({TESTS!r})
from noderag_local.system.walls import launch
asked = json.dumps({{"template": "wait", "messages": [], "bos": "", "eos": ""}}).encode()
with subprocess.Popen(launch.command({TEMPLATE!r}), stdin=subprocess.PIPE, env=launch.environment()) as process:
    process.stdin.write(asked)
    process.stdin.close()
    input()
    process.kill()
"""


def as_a_person() -> None:
    """Called in a new process: the superuser may look into everything, so he gives up his powers."""
    if os.geteuid() == 0:
        for power in range(64):
            _LIBC.prctl(DROP_FROM_BOUNDING_SET, power, 0, 0, 0)


@contextmanager
def running(code: str) -> Iterator[int]:
    """Number of a process that the code tells, as long as it waits."""
    command = [sys.executable, "-B", "-c", code]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=as_a_person
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        told = process.stdout.readline()
        try:
            yield int(told)
        finally:
            process.stdin.close()
            process.stdout.close()
            process.kill()


def seen(process: int) -> list[str]:
    """What another program of the same person sees of a process."""
    command = [sys.executable, "-I", "-c", LOOK, str(process)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=as_a_person)
    return done.stdout.splitlines()


@pytest.fixture(scope="module", autouse=True)
def programs_may_look_into_each_other() -> None:
    with running(ORDINARY) as process:
        if seen(process) != ["its memory", "its variables", "its steps"]:
            pytest.skip("no program may look into another one here (Yama)")


@pytest.mark.parametrize(
    "code",
    [WITH_A_KEY, READING.replace("WHICH", "forking"), READING.replace("WHICH", "readers.read()"), RENDERING],
    ids=["with the key", "that forks readers", "that reads a file", "of a template"],
)
def test_nobody_looks_into_it(code: str) -> None:
    with running(code) as process:
        assert seen(process) == []
