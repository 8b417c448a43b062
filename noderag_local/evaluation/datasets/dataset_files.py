"""Reads the entries of a data set's file, JSON or JSON Lines, each with its line in the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noderag_local.domain.errors import SourceError


@dataclass(frozen=True, slots=True)
class DatasetEntry:
    """One entry of a file."""

    path: Path
    line: int
    """Line on which the entry starts, from 1."""
    number: int
    """Number of the entry in the file, from 1; some files have all entries on one line."""
    value: Any
    """The entry as JSON has it."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """An entry that was left out."""

    path: Path
    line: int
    number: int
    reason: str
    """Why; completes the sentence "Entry 3 …"."""

    @property
    def told(self) -> str:
        """The place and the reason, as the user reads it."""
        return f"{self.path}, line {self.line}: entry {self.number} {self.reason}."


def entries(path: Path) -> Iterator[DatasetEntry | Rejected]:
    """Yields the entries of a file: the elements of a JSON list, [title, sentences] for each pair of an object of lists, or JSON Lines.

    A broken line of JSON Lines is rejected alone. In a list nothing after a fault can be trusted.

    Raises:
        SourceError: the file cannot be read, is not UTF-8, or is a list with a fault; the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}. Name a file of the data set.") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not UTF-8 at byte {error.start}. Get the file again.") from error
    if text.lstrip().startswith("["):
        yield from _list_entries(path, text)
    elif isinstance(whole := _object(text), dict):
        is_of_titles = all(isinstance(sentences, list) for sentences in whole.values())
        line = 1 + text.count("\n", 0, text.index("{"))
        yield from _pair_entries(path, text) if is_of_titles else [DatasetEntry(path, line, 1, whole)]
    else:
        yield from _line_entries(path, text)


def _object(text: str) -> Any:
    """Returns what a file is that is JSON as a whole; None for any other."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _pair_entries(path: Path, text: str) -> Iterator[DatasetEntry]:
    """Yields [title, sentences] for each pair of an object, read one by one, so that each is known by its line.

    Args:
        path: path of the file.
        text: an object that `json.loads` reads.
    """
    decoder, at = json.JSONDecoder(), _after_space(text, text.index("{") + 1)
    line, counted, number = 1, 0, 1
    while text[at] != "}":
        line, counted = line + text.count("\n", counted, at), at
        title, end = decoder.raw_decode(text, at)
        sentences, end = decoder.raw_decode(text, _after_space(text, text.index(":", end) + 1))
        yield DatasetEntry(path, line, number, [title, sentences])
        at, number = _after_space(text, end), number + 1
        if text[at] == ",":
            at = _after_space(text, at + 1)


def _line_entries(path: Path, text: str) -> Iterator[DatasetEntry | Rejected]:
    # Not `splitlines`, which also ends a line at signs that JSON allows within a string.
    lines = ((at, line) for at, line in enumerate(text.split("\n"), start=1) if line.strip())
    for number, (at, line) in enumerate(lines, start=1):
        try:
            yield DatasetEntry(path, at, number, json.loads(line))
        except json.JSONDecodeError as error:
            yield Rejected(path, at, number, f"is not JSON at column {error.colno}: {error.msg}")


def _list_entries(path: Path, text: str) -> Iterator[DatasetEntry]:
    """Yields the elements of a list, read one by one, so that each is known by its line."""
    decoder, at = json.JSONDecoder(), _after_space(text, text.index("[") + 1)
    line, counted, number = 1, 0, 1
    while text[at : at + 1] != "]":
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise _broken(path, text, error.pos, error.msg) from error
        line, counted = line + text.count("\n", counted, at), at
        yield DatasetEntry(path, line, number, value)
        at, number = _after_space(text, end), number + 1
        if text[at : at + 1] == ",":
            at = _after_space(text, at + 1)
        elif text[at : at + 1] != "]":
            raise _broken(path, text, at, "a comma or the end of the list is missing")


def _after_space(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _broken(path: Path, text: str, at: int, reason: str) -> SourceError:
    line = 1 + text.count("\n", 0, at)
    return SourceError(f"{path}, line {line}: {reason}. Get the file again, or mend this line.")
