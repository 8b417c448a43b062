"""Prints the manual page noderag(1), made from the commands; noderag_local/manual/noderag.1 is its output.

.venv/bin/python scripts/man_page.py > noderag_local/manual/noderag.1
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from noderag_local.interfaces.cli.command_app import EXIT_CODES, app
from noderag_local.manual.pages import pages


def main() -> None:
    print("\n".join(page()))


def page() -> Iterator[str]:
    yield from ('.TH NODERAG 1 "" "noderag" "User Commands"', ".SH NAME")
    yield _text("noderag - questions to your own notes, answered on your own machine, with citations")
    yield from (".SH SYNOPSIS", ".B noderag", "[\\-\\-vault DIR] [COMMAND [OPTIONS] [ARGUMENTS]]", ".SH DESCRIPTION")
    yield "Without a command,"
    yield from (
        ".B noderag",
        "opens its terminal interface.",
        _text("Every command has --help with all of its options."),
    )
    yield ".SH COMMANDS"
    for words, command in _commands(get_command(app), ()):
        yield from (".TP", f".B {_text(' '.join(words))}", _text(_first_sentences(command.help or "")))
    yield ".SH THE MANUAL"
    for one in pages()[1:]:
        yield from (".TP", f".B noderag help {_text(one.name)}", _text(one.summary))
    yield ".SH EXIT STATUS"
    yield ".nf"
    yield from (_text(line) for line in EXIT_CODES.replace("\b", "").strip().splitlines()[1:])
    yield from (".fi", ".SH ENVIRONMENT", _text("NODERAG_VAULT names the vault, NODERAG_SETTINGS the settings file."))
    yield _text("Every setting can be given as a variable; noderag help settings lists them.")


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, child in command.commands.items():
        if hasattr(child, "commands"):
            yield from _commands(child, (*words, name))
        else:
            yield (*words, name), child


def _first_sentences(text: str) -> str:
    return " ".join(re.split(r"\n\s*\n|\n\s*\x08|Example", text)[0].split())


def _text(text: str) -> str:
    """Returns text with the characters escaped that troff gives a meaning to."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


if __name__ == "__main__":
    main()
