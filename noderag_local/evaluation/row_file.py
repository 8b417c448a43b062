"""Stores results in a file of JSON lines, to resume after a stop; the first line says what made them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from noderag_local.domain.errors import SourceError
from noderag_local.evaluation.provenance import Provenance
from noderag_local.system.disk.private_files import open_private

REMEDY = "Name another file for --dump, or delete this one."
T = TypeVar("T")


class RowFile:
    """A file to which results are added; without a path nothing is written."""

    def __init__(self, path: Path | None, provenance: Provenance) -> None:
        """Opens the file to add to it, or creates it.

        Raises:
            SourceError: the file cannot be read or written, or its results were made with another vault or model.
        """
        self._lines: BinaryIO | None = None
        if path is None:
            return
        try:
            if path.exists() and path.stat().st_size:
                _refuse_other(path, read_rows(path, lambda _: None)[0], provenance)
                _cut_off_unfinished(path)
                self._lines = open_private(path, "ab")
            else:
                self._lines = open_private(path, "wb")
                self.write({"id": None, "made_of": asdict(provenance)})
        except OSError as error:
            raise SourceError(f"{path} cannot be written: {error.strerror}. {REMEDY}") from error

    def write(self, row: Mapping[str, object]) -> None:
        """Appends a row and writes it immediately."""
        if self._lines is not None:
            self._lines.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
            self._lines.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._lines is not None:
            self._lines.close()


def read_rows(path: Path, made: Callable[[dict[str, Any]], T]) -> tuple[Provenance, list[T]]:
    """Returns what a file was made with, and its rows; ignores a last line that a kill cut off.

    Args:
        path: path of the file.
        made: creates a row from its JSON object.

    Raises:
        SourceError: the file cannot be read or is not of this kind.
    """
    try:
        rows = _rows(path)
        provenance = Provenance.of_row(next(rows)["made_of"])
        return provenance, [made(row) for row in rows]
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}. {REMEDY}") from error
    except (StopIteration, KeyError, TypeError, AttributeError, ValueError) as error:
        raise SourceError(f"{path} was not made by --dump ({error!r}). {REMEDY}") from error


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield json.loads(line)


def _refuse_other(path: Path, earlier: Provenance, provenance: Provenance) -> None:
    for what, was, is_now in (
        ("of another vault, or the vault has changed since", earlier.state, provenance.state),
        (
            f"with the model {earlier.model or 'none'}, and now it is {provenance.model or 'none'}",
            earlier.model,
            provenance.model,
        ),
        (
            f"by {_release(earlier.version)}, and now it is {_release(provenance.version)}",
            earlier.version,
            provenance.version,
        ),
        ("with another file or server of the model", earlier.identity, provenance.identity),
        (
            f"with answer_tokens {earlier.answer_tokens}, and now it is {provenance.answer_tokens}",
            earlier.answer_tokens,
            provenance.answer_tokens,
        ),
    ):
        if was != is_now:
            raise SourceError(f"The results in {path} were made {what}. {REMEDY}")


def _release(version: str | None) -> str:
    return "a noderag that did not note its version" if version is None else f"noderag {version}"


def _cut_off_unfinished(path: Path) -> None:
    """Removes a last line that a killed process left unfinished."""
    with path.open("rb+") as file:
        whole = file.read().rfind(b"\n") + 1
        file.seek(whole)
        file.truncate()
        os.fsync(file.fileno())
