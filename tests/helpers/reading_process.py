"""Files handed to the reading process by hand."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from noderag_local.ingest.chunks.parsed_document import Draft, Found
from noderag_local.ingest.formats.registry import format_of
from noderag_local.ingest.sandbox.worker_exchange import Assignment, Task
from noderag_local.ingest.sandbox.worker_process import WorkerProcess


def read_by(process: WorkerProcess, name: str, data: bytes, module: str = "") -> list[Draft]:
    """The documents of a file that holds some bytes."""
    return read_open(process, name, io.BytesIO(data), len(data), module)


def read_path(process: WorkerProcess, path: Path) -> list[Draft]:
    with path.open("rb") as file:
        return read_open(process, path.name, file, path.stat().st_size)


def read_open(process: WorkerProcess, name: str, file: BinaryIO, size_bytes: int, module: str = "") -> list[Draft]:
    return [one for one in found_in(process, task_of(name, size_bytes, module), file) if isinstance(one, Draft)]


def found_in(process: WorkerProcess, task: Task, file: BinaryIO) -> Iterator[Found]:
    """What is read of one file."""
    for found in process.documents([Assignment(task, file)]):
        yield from found


def task_of(name: str, size_bytes: int, module: str = "") -> Task:
    """What the process is told of a file, by its name alone."""
    known = format_of(name)
    if module or not known.is_text:
        return Task(f"/notes/{name}", module or known.full_module, name, size_bytes)
    return Task(f"/notes/{name}", known.full_module, f"notes/{name}", size_bytes, is_text=True)
