"""Puts a command of the resident process into the place of its caller: folder, environment, and the caller's open files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from noderag_local.interfaces.resident.messages import WrongMessage

OF_A_PROCESS = (
    *("LANG", "LC_", "LANGUAGE", "PYTHON", "LD_", "DYLD_", "MALLOC_", "GLIBC_", "SQLITE_"),
    *(
        "OMP_",
        "OPENBLAS_",
        "MKL_",
        "NUMEXPR_",
        "VECLIB_",
        "RAYON_",
        "TOKENIZERS_",
        "HF_",
        "TRANSFORMERS_",
        "CUDA_",
        "GGML_",
    ),
)
"""Beginnings of the environment variables that Python or a library reads once, when it starts. They have to be the same for the
caller as for the resident process; all others are taken from the caller."""


@dataclass(frozen=True)
class Caller:
    """A command that the resident process is to run, and where it comes from."""

    code: str
    """As `meeting_place.code_name`."""
    arguments: list[str]
    """Arguments after `noderag`."""
    folder: str
    environment: dict[str, str]
    encodings: list[tuple[str, str]]
    """Encoding and handling of errors of standard input, output and error output."""

    @classmethod
    def of_message(cls, message: Mapping[str, Any]) -> Caller:
        """Returns the caller that a message tells of.

        Raises:
            WrongMessage: the message tells of none.
        """
        try:
            return cls(
                str(message["code"]),
                [str(word) for word in message["arguments"]],
                str(message["folder"]),
                {str(name): str(value) for name, value in message["environment"].items()},
                [(str(encoding), str(errors)) for encoding, errors in message["encodings"]],
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise WrongMessage from None


def of_a_process(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables that must be the same in two processes of which one stands in for the other."""
    return {name: value for name, value in environment.items() if name.startswith(OF_A_PROCESS)}


@contextmanager
def in_place_of(caller: Caller) -> Iterator[None]:
    """Takes folder and environment of a caller, and gives them back.

    Raises:
        OSError: the folder cannot be entered.
    """
    own = dict(os.environ)
    os.chdir(caller.folder)
    try:
        _take_environment(caller.environment)
        yield
    finally:
        _take_environment(own)
        # Not to keep a drive from being unmounted.
        os.chdir("/")


@contextmanager
def with_streams(descriptors: Sequence[int], encodings: Sequence[tuple[str, str]]) -> Iterator[None]:
    """Makes a caller's open files the standard input, output and error output, and gives them back.

    The streams are made as Python makes them when it starts, so that they encode, buffer and end as the caller's own.
    """
    kept = [os.dup(number) for number in range(3)]
    before = sys.stdin, sys.stdout, sys.stderr
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    source, output, errors = encodings
    sys.stdin = os.fdopen(0, encoding=source[0], errors=source[1], closefd=False)
    sys.stdout = _written(1, *output)
    sys.stderr = _written(2, *errors, by_lines=True)
    try:
        yield
    finally:
        # What is not written by now, after Ctrl-C, goes nowhere: the caller's reader may be waiting for good.
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)
        sys.stdin, sys.stdout, sys.stderr = before


def _written(descriptor: int, encoding: str, errors: str, *, by_lines: bool = False) -> TextIO:
    stream = os.fdopen(descriptor, "w", encoding=encoding, errors=errors, newline="\n", closefd=False)
    stream.reconfigure(line_buffering=by_lines or stream.isatty())
    return stream


def _take_environment(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    # The C library reads TZ only when it is told to.
    time.tzset()
