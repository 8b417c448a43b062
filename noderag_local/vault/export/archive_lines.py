"""The form of an exported vault: a line of JSON a row, a head that says what is to come, a tail that proves it.

    {"noderag": "vault", "form": 1, "vault_format": 3, "tables": {"chunks": 12, …}}
    {"table": "chunks", "row": {"id": 2, "document_id": 1, …}}
    {"end": {"lines": 4711, "sha256": "…"}}

The hash is of all lines before the tail, with their line ends. What is no text or number stands as {"base64": "…"}.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from noderag_local.domain.errors import SourceError, StoreError

FORM = 1
"""Version of the lines' own form; the tables in them have the vault's format."""
LONGEST_LINE = 32 << 20
"""Most bytes of a line: a chunk or a vector takes some thousands, and files up to 20 MB are indexed by default."""

_MOST = 1 << 63
"""Bound that SQLite's integers stay below."""

Cell = str | int | float | bytes | None
Row = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of an export, which describes it."""

    noderag: str
    """Always "vault"."""
    form: int
    vault_format: int
    tables: dict[str, int]
    """Rows of each table, those of conversations under "conversations/" and their own name."""


class LineWriter:
    """Writes the lines of an export and computes their hash."""

    def __init__(self, file: BinaryIO, head: Head) -> None:
        """Writes the head."""
        self._file = file
        self._hash = hashlib.sha256()
        self._lines = 0
        self._write(asdict(head))

    def row(self, table: str, columns: tuple[str, ...], values: tuple[Cell, ...]) -> None:
        """Writes a row."""
        cells = {name: _cell(value) for name, value in zip(columns, values, strict=True)}
        self._write({"table": table, "row": cells})

    def end(self) -> None:
        """Writes the tail."""
        self._file.write(_tail(self._lines, self._hash.hexdigest()))

    def _write(self, document: Mapping[str, Any]) -> None:
        line = _line(document)
        self._hash.update(line)
        self._file.write(line)
        self._lines += 1


def check(path: Path, file: BinaryIO, vault_format: int) -> Head:
    """Reads an export to its end and checks that it is complete and unchanged.

    Args:
        path: for messages.
        file: the export, opened at its beginning.
        vault_format: the format of the vaults that this version writes.

    Raises:
        SourceError: the file is not an export, or was cut off or changed.
        StoreError: the file was made by a newer version.
    """
    line = file.readline(LONGEST_LINE)
    head = _head(path, line, vault_format)
    hashed, lines = hashlib.sha256(), 0
    while following := file.readline(LONGEST_LINE):
        if not following.endswith(b"\n"):
            # Not read on to the end, which a sparse file has nowhere near.
            raise _broken(path)
        hashed.update(line)
        lines += 1
        line = following
    if line != _tail(lines, hashed.hexdigest()):
        raise _broken(path)
    return head


def rows(path: Path, file: BinaryIO) -> Iterator[tuple[str, Row]]:
    """Yields (table, row) of every line between head and tail; the file has passed `check`.

    Raises:
        SourceError: a line does not have the format of an export.
    """
    file.readline(LONGEST_LINE)
    while "end" not in (document := _document(path, file.readline(LONGEST_LINE))):
        table, row = document.get("table"), document.get("row")
        if not isinstance(table, str) or not isinstance(row, dict):
            raise _broken(path)
        yield table, {name: _value(path, cell) for name, cell in row.items()}


def _head(path: Path, line: bytes, vault_format: int) -> Head:
    given = _document(path, line)
    if given.get("noderag") != "vault":
        raise SourceError(f"{path} is no export of a vault; noderag export FILE.jsonl makes one.")
    try:
        head = Head("vault", int(given["form"]), int(given["vault_format"]), dict(given["tables"]))
    except (KeyError, TypeError, ValueError) as error:
        raise _broken(path) from error
    if head.form > FORM or head.vault_format > vault_format:
        raise StoreError(f"{path} was made by a newer version of noderag. Update noderag to import it.")
    return head


def _line(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _tail(lines: int, sha256: str) -> bytes:
    return _line({"end": {"lines": lines, "sha256": sha256}})


def _document(path: Path, line: bytes) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _broken(path) from error
    if not isinstance(document, dict):
        raise _broken(path)
    return document


def _cell(value: Cell) -> object:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _value(path: Path, cell: object) -> Cell:
    if isinstance(cell, float) and not math.isfinite(cell):
        raise _broken(path)
    if cell is None or isinstance(cell, float) or (isinstance(cell, int) and -_MOST <= cell < _MOST):
        return cell
    try:
        if isinstance(cell, str):
            # JSON can spell halves of letters, which no row can hold.
            cell.encode()
            return cell
        return base64.b64decode(cell["base64"], validate=True)  # type: ignore[index]
    except (KeyError, TypeError, ValueError) as error:
        raise _broken(path) from error


def _broken(path: Path) -> SourceError:
    return SourceError(f"{path} was cut or changed since it was exported. Nothing was imported; copy it once more.")
