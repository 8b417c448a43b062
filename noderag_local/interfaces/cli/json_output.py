"""Output for programs: one JSON document on stdout."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import typer

from noderag_local.system import offline
from noderag_local.system.printing.plain_text import printable


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
    """Prints the document of a command that failed, on one line, as it may come after other lines of JSON."""
    _print({"error": {"type": kind, "message": message}}, indent=None)


def _print(value: object, indent: int | None = 1) -> None:
    # ASCII alone: then no note can send a control sequence to a terminal, and every encoding can carry it.
    typer.echo(json.dumps(_seen(value), ensure_ascii=True, indent=indent))


def _seen(value: Any) -> Any:
    """A value as JSON has it, its texts without hidden letters: a program may hand them to a model or a terminal."""
    if is_dataclass(value) and not isinstance(value, type):
        return _seen(asdict(value))
    if isinstance(value, dict):
        return {_seen(key): _seen(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_seen(one) for one in value]
    if isinstance(value, Path):
        return str(value)
    return _seen_text(value) if isinstance(value, str) else value


def _seen_text(text: str) -> str:
    # The path of a file stays as it is: a program opens it.
    seen = printable(text)
    return text if seen == text or (os.path.isabs(text) and os.path.lexists(text)) else seen
