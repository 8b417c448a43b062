"""The process that reads files of the formats, one after the other, with limits; started by `worker_process`."""

from __future__ import annotations

import importlib
import io
import os
from collections.abc import Iterator
from typing import BinaryIO

from noderag_local.errors import DocumentError
from noderag_local.ingest.formats import sandbox
from noderag_local.ingest.formats.extract import Extractor
from noderag_local.ingest.formats.wire import READY, Kind, Request, answer_line, document_line, request_of


def main(parent: int) -> None:
    """Answers requests until their stream ends, or the memory.

    Args:
        parent: id of the process that sends them; this one dies with it.
    """
    sandbox.die_with(parent)
    sandbox.leave_network()
    requests, answers = _taken_over()
    sandbox.leave_files()
    sandbox.limit_process()
    sandbox.refuse_actions()
    answers.write(READY)
    answers.flush()
    while line := requests.readline():
        request = request_of(line)
        sandbox.limit_memory(request.size_bytes + request.memory_bytes)
        file = io.BytesIO(requests.read(request.size_bytes))
        try:
            for answer in _answers(request, file):
                answers.write(answer)
                answers.flush()
        except MemoryError:
            # What else may have failed for the want of it nobody knows, so this process has read its last file.
            file.close()
            answers.write(answer_line(Kind.MEMORY))
            answers.flush()
            return


def _taken_over() -> tuple[BinaryIO, BinaryIO]:
    """The streams to and from the parent, which are standard input and output no more: libraries print."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)
    return requests, answers


def _answers(request: Request, file: BinaryIO) -> Iterator[bytes]:
    try:
        extractor: Extractor = importlib.import_module(request.module).EXTRACTOR
        # The library itself is not counted.
        sandbox.limit_memory(request.memory_bytes)
    except ImportError as error:
        yield answer_line(Kind.UNKNOWN, str(error))
        return
    try:
        sandbox.limit_cpu(request.seconds)
        for document in extractor.read(file, request.name):
            yield document_line(document)
            sandbox.limit_cpu(request.seconds)
    except DocumentError as error:
        yield answer_line(Kind.REFUSED, str(error))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a library raises on a damaged file, it costs this file alone
        yield answer_line(Kind.STUMBLED, type(error).__name__)
    else:
        yield answer_line(Kind.END)
