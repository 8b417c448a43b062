"""The `noderag` command in tests: how one run of it ended, and every command with its options as the parser knows them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from typer.main import get_command

from noderag_local.interfaces.cli.command_app import app


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What --json printed."""
        return json.loads(self.out)


Noderag = Callable[..., Done]
"""Runs `noderag` with the given words; the fixture `noderag` is one."""


@dataclass(frozen=True)
class Command:
    """A command that does something; groups are gone through."""

    words: tuple[str, ...]
    """`("models", "list")`"""
    help: str
    options: tuple[str, ...]
    """Long names, without --help."""
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        return " ".join(self.words)


def answered(answers: str, *words: object) -> subprocess.CompletedProcess[str]:
    """A run at a terminal where a person types this."""
    ours, theirs = os.openpty()
    os.write(ours, answers.encode())
    command = [sys.executable, "-m", "noderag_local", *map(str, words)]
    done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, check=True, timeout=60)
    os.close(ours)
    os.close(theirs)
    return done


def commands() -> list[Command]:
    return list(_walk(get_command(app), ()))


def _walk(command: Any, words: tuple[str, ...]) -> list[Command]:
    if hasattr(command, "commands"):
        return [found for name, child in command.commands.items() for found in _walk(child, (*words, name))]
    options = [p.opts[0] for p in command.params if p.param_type_name == "option" and "--help" not in p.opts]
    arguments = [p.metavar or p.name for p in command.params if p.param_type_name == "argument"]
    return [Command(words, command.help or "", tuple(options), tuple(arguments))]
