"""Gets a passphrase for a command, from a file or from the person at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

SHORTEST = 8
"""Characters that a new passphrase must have."""

PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        metavar="FILE",
        dir_okay=False,
        show_default=False,
        help="Read the passphrase from the first line of a file, where there is nobody to ask.",
    ),
]


def passphrase(file: Path | None, *, new: bool) -> Callable[[], str]:
    """Returns a function that gets the passphrase when it is needed.

    Args:
        file: its first line is the passphrase; None: a person is asked.
        new: the passphrase is chosen now: a person types it twice, and a short one is refused.
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
            f"a passphrase of fewer than {SHORTEST} characters is soon guessed; choose a longer one"
        )
    return text
