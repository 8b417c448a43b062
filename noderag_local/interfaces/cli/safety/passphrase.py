"""Gets a passphrase for a command, from a file or from the person at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

SHORTEST = 8
"""Minimum characters of a new passphrase."""

PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        metavar="FILE",
        dir_okay=False,
        show_default=False,
        help="Read the passphrase from the first line of a file, if nobody can be asked.",
    ),
]


def passphrase(file: Path | None, *, new: bool) -> Callable[[], str]:
    """Returns a function that gets the passphrase when it is needed.

    Args:
        file: file whose first line is the passphrase; None asks the person.
        new: True for a new passphrase, which is typed twice and must not be short.
    """

    def given() -> str:
        if file is not None:
            from noderag_local.storage.encryption.unlock import passphrase_in

            return _long_enough(passphrase_in(file), new)
        if not sys.stdin.isatty():
            raise typer.BadParameter(
                "a passphrase is needed, and there is no terminal to ask at; --passphrase-file FILE"
            )
        typed: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=new, err=True)
        return _long_enough(typed, new)

    return given


def _long_enough(text: str, new: bool) -> str:
    if new and len(text) < SHORTEST:
        raise typer.BadParameter(
            f"a passphrase of fewer than {SHORTEST} characters is easy to guess; choose a longer one"
        )
    return text
