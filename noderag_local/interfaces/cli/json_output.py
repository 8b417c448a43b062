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
    """Prints a value as a JSON document; it may contain frozen dataclasses and paths.

    Raises:
        OfflineViolation: a connection was refused; the error is then this command's only document.
    """
    offline.raise_for_violations()
    _print(value)


def print_line(value: object) -> None:
    """Prints a value as JSON on one line, for commands with several documents; otherwise like `print_document`."""
    offline.raise_for_violations()
    _print(value, indent=None)


def print_error(kind: str, message: str) -> None:
    """Prints the document of a failed command on one line, since other lines of JSON may precede it."""
    _print({"error": {"type": kind, "message": message}}, indent=None)


def _print(value: object, indent: int | None = 1) -> None:
    # Only ASCII, so that no note can send a control sequence to a terminal and every encoding works.
    typer.echo(json.dumps(_seen(value), ensure_ascii=True, indent=indent))


def _seen(value: Any) -> Any:
    """Returns a value as JSON types, without invisible characters in its texts, which may be passed to a model or a terminal."""
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
    # Paths stay unchanged, since programs open them.
    seen = printable(text)
    return text if seen == text or (os.path.isabs(text) and os.path.lexists(text)) else seen
