"""Output for programs: one JSON document on stdout."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import typer

from noderag_local import offline


def print_document(value: object) -> None:
    """Prints a value as JSON; frozen records and paths may stand anywhere in it.

    Raises:
        OfflineViolation: a connection was refused; then the error is the one document of this command.
    """
    offline.raise_for_violations()
    _print(value)


def print_line(value: object) -> None:
    """One of many documents, on a line of its own; otherwise as `print_document`."""
    offline.raise_for_violations()
    _print(value, indent=None)


def print_error(kind: str, message: str) -> None:
    """The document that stands for a command that failed."""
    _print({"error": {"type": kind, "message": message}})


def _print(value: object, indent: int | None = 1) -> None:
    # ASCII alone: then no note can send a control sequence to a terminal, and every encoding can carry it.
    typer.echo(json.dumps(value, default=_plain, ensure_ascii=True, indent=indent))


def _plain(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")
