"""Files that do what they like in the reading process: each costs itself, and the next one is read."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.reading_process import found_in, read_by, read_open, task_of
from ingest.formats.misbehaving import MODULE

from noderag_local.domain.errors import DocumentError, ReaderEnded, ReaderTooSlow, SourceError
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.sandbox.serving_process import ServingProcess
from noderag_local.ingest.sandbox.worker_exchange import Limits
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.system.walls.landlock import landlock_version

QUICK = Limits(memory_bytes=128 << 20, document_seconds=1, file_seconds=3, output_bytes=1 << 20)


@pytest.fixture(scope="module")
def process() -> Iterator[WorkerProcess]:
    """One for all tests, as one run of indexing has: what a file does to it the next one must not see."""
    with WorkerProcess(QUICK) as started:
        yield started


def texts(process: WorkerProcess, deed: str, text: str = "One.\n\nTwo.", module: str = MODULE) -> list[list[str]]:
    documents = read_by(process, "a.deed", f"{deed}\n{text}".encode(), module)
    return [shown(document) for document in documents]


def shown(document: Draft) -> list[str]:
    return [one.sentence.text for one in document.sentences]


def number_of(process: WorkerProcess) -> int:
    ((_, number),) = texts(process, "tell")
    return int(number)


def test_each_file_has_a_process_of_its_own_forked_from_one_that_stays(process: WorkerProcess) -> None:
    numbers = [number_of(process)]
    (forking,) = process.process_ids
    numbers += [number_of(process) for _ in range(3)]
    assert len({*numbers, forking, os.getpid()}) == 6
    assert process.process_ids == {forking}


def test_texts_share_a_process_of_their_own() -> None:
    with WorkerProcess(QUICK) as process:
        assert [shown(draft) for draft in read_by(process, "a.md", b"One.")] == [["One."]]
        reading = process.process_ids
        assert [shown(draft) for draft in read_by(process, "b.md", b"Two.")] == [["Two."]]
        assert process.process_ids == reading
        assert number_of(process) not in reading
        assert len(process.process_ids - reading) == 1


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("hog", "more than 128 MB of memory"),
        ("loop", "longer than 1 s for a document"),
        ("trickle", "or 3 s in all"),
        ("late", "longer than"),
        ("flood", "more than 1 MB of text"),
        ("exit", r"crash \(exit status 3\)"),
        ("segfault", r"crash \(SIGSEGV\)"),
        ("lie", "taken it over"),
        ("fall silent", r"crash \(it fell silent\)"),
    ],
)
def test_what_goes_too_far_ends_its_process_and_the_next_file_has_another(
    process: WorkerProcess, deed: str, told: str
) -> None:
    before = number_of(process)
    with pytest.raises(SourceError, match=told) as caught:
        texts(process, deed)
    # On a busy machine the time of a document is over before its seconds of computing are.
    may_be = {"trickle": ReaderTooSlow, "loop": (ReaderTooSlow, DocumentError), "late": (ReaderTooSlow, DocumentError)}
    assert isinstance(caught.value, may_be.get(deed, DocumentError))
    assert number_of(process) != before


@pytest.mark.parametrize("deed", ["exit", "segfault"])
def test_a_reader_that_ends_leaves_the_process_that_forked_it(process: WorkerProcess, deed: str) -> None:
    number_of(process)
    before = process.process_ids
    with pytest.raises(DocumentError):
        texts(process, deed)
    assert process.process_ids == before


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("refuse", "^it is locked by a password$"),
        ("stumble", r"stumbled over it \(KeyError\)"),
        ("deep", r"stumbled over it \(RecursionError\)"),
    ],
)
def test_what_a_reader_says_costs_the_file_alone(process: WorkerProcess, deed: str, told: str) -> None:
    number_of(process)
    before = process.process_ids
    with pytest.raises(DocumentError, match=told) as caught:
        texts(process, deed)
    assert "private" not in str(caught.value)
    assert process.process_ids == before


@pytest.mark.parametrize("deed", ["write", "remove", "start", "fork", "connect", "kill"])
def test_no_file_is_written_no_process_started_no_connection_opened(process: WorkerProcess, deed: str) -> None:
    with pytest.raises(DocumentError, match="Refused"):
        texts(process, deed)


@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock, or it is switched off")
def test_no_other_file_of_the_person_is_opened_by_python_or_by_a_library(
    process: WorkerProcess, tmp_path: Path
) -> None:
    diary = tmp_path / "diary.md"
    diary.write_text("Dear diary", encoding="utf-8")
    with pytest.raises(DocumentError, match=r"stumbled over it \(PermissionError\)"):
        texts(process, "open", str(diary))
    assert texts(process, "open natively", str(diary)) == [["-1"]]
    assert texts(process, "open natively", os.__file__) != [["-1"]]


@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock, or it is switched off")
def test_notes_in_the_folder_that_one_stands_in_are_not_opened_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary = tmp_path / "diary.md"
    diary.write_text("Dear diary", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with WorkerProcess(QUICK) as process:
        assert texts(process, "open natively", str(diary)) == [["-1"]]


def test_what_a_library_prints_is_no_answer(process: WorkerProcess) -> None:
    assert texts(process, "print") == [["One.", "Two."]]


def test_a_module_that_cannot_be_loaded_is_told(process: WorkerProcess) -> None:
    with pytest.raises(SourceError, match=r"cannot be loaded \(No module named 'nowhere'\): install noderag again"):
        texts(process, "nothing", module="nowhere")


def test_a_process_that_is_killed_from_outside_says_nothing_of_its_file(process: WorkerProcess) -> None:
    data = b"stall\n"
    with pytest.raises(ReaderEnded, match="SIGKILL"):
        for _ in found_in(process, task_of("a.deed", len(data), MODULE), io.BytesIO(data)):
            for number in process.process_ids:
                os.kill(number, signal.SIGKILL)
    assert texts(process, "nothing") == [["One.", "Two."]]


def test_a_process_that_was_killed_between_two_files_is_replaced(process: WorkerProcess) -> None:
    number_of(process)
    for number in process.process_ids:
        os.kill(number, signal.SIGKILL)
        os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT)
    assert texts(process, "nothing") == [["One.", "Two."]]


def test_a_file_that_is_left_in_the_middle_ends_the_process(process: WorkerProcess) -> None:
    data = b"stall\n"
    documents = found_in(process, task_of("a.deed", len(data), MODULE), io.BytesIO(data))
    first = next(documents)
    assert isinstance(first, Draft) and shown(first) == ["word"]
    documents.close()
    assert not process.process_ids


def test_a_file_that_has_become_shorter_is_filled_up(process: WorkerProcess) -> None:
    (document,) = read_open(process, "a.deed", io.BytesIO(b"bytes\nOne."), 18, MODULE)
    assert shown(document) == ["4f6e652e" + "00" * 8]


def test_names_of_any_bytes_arrive(process: WorkerProcess) -> None:
    (document,) = read_by(process, os.fsdecode(b"\xff\n.deed"), b"tell", MODULE)
    assert shown(document)[0] == "\ufffd .deed"


def test_a_process_is_replaced_before_a_leak_can_hurt() -> None:
    reading = ServingProcess(files=2)
    assert [reading.settle(left_whole=True) for _ in range(2)] == [True, False]
    reading.end()
    assert not reading.is_alive


def test_a_process_outlives_the_thread_that_wanted_it() -> None:
    # Linux takes the thread for the parent; a job of the interface is a thread, and the next job gets its processes.
    started: list[int] = []

    def job() -> None:
        with WorkerProcess(QUICK) as process:
            read_by(process, "a.md", b"One.")
            number_of(process)
            started.extend(process.process_ids)

    thread = threading.Thread(target=job)
    thread.start()
    thread.join()
    time.sleep(0.2)
    with WorkerProcess(QUICK) as process:
        read_by(process, "a.md", b"One.")
        number_of(process)
        assert process.process_ids == set(started)


PARENT = """
import io, sys
sys.path.insert(0, sys.argv[1])
from helpers.reading_process import found_in, task_of
from ingest.formats.misbehaving import MODULE
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
process = WorkerProcess()
documents = found_in(process, task_of("a.deed", 9, MODULE), io.BytesIO(b"patience\\n"))
next(documents)
(forking,) = process.process_ids
with open(f"/proc/{forking}/task/{forking}/children") as readers:
    print(forking, readers.read(), flush=True)
list(documents)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell a process that its parent is gone")
def test_they_die_with_their_parent_in_the_middle_of_a_loop() -> None:
    tests = str(Path(__file__).parents[2])
    with subprocess.Popen([sys.executable, "-c", PARENT, tests], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        numbers = parent.stdout.readline().split()
        parent.kill()
    assert len(numbers) == 2
    deadline = time.monotonic() + 300
    while any(Path(f"/proc/{number}").exists() for number in numbers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(Path(f"/proc/{number}").exists() for number in numbers)


@pytest.mark.skipif(sys.platform != "linux", reason="there are no network namespaces elsewhere")
def test_there_is_no_network_device_where_the_kernel_lets_us(process: WorkerProcess) -> None:
    unshare = ["unshare", "--net", "--map-root-user", "true"]
    if subprocess.run(unshare, capture_output=True, check=False).returncode != 0:
        pytest.skip("the kernel lets nobody have a network of their own here")
    number_of(process)
    (number,) = process.process_ids
    try:
        devices = Path(f"/proc/{number}/net/dev").read_text().splitlines()[2:]
    except PermissionError:
        pytest.skip("it lets nobody but the superuser look into it")
    assert [line.split(":")[0].strip() for line in devices] in ([], ["lo"])
