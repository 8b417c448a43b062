"""`noderag completion`: lets the shell complete commands, options and their values."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from noderag_local.interfaces.cli.options import AsJson

PROGRAM = "noderag"
ASKED_BY_SHELL = "_NODERAG_COMPLETE"
"""Variable by which the shell asks for completions; typer reads it."""


class Shell(StrEnum):
    """The shells that completion can be set up for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


ShellName = Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False)]
Install = Annotated[
    bool, typer.Option("--install", help="Put it where the shell looks, and name the file; else it is printed.")
]


def completion(shell: ShellName, install: Install = False, as_json: AsJson = False) -> None:
    """Let the shell complete commands and options with the tab key.

    Methods, models of the catalogue and pages of the manual are completed, too. Without --install, the script is printed, for
    the file of your choice. With it, bash gets ~/.bash_completions/noderag.sh and a line in ~/.bashrc, zsh ~/.zfunc/_noderag and
    a line in ~/.zshrc, fish ~/.config/fish/completions/noderag.fish.

    \b
    Examples:
      noderag completion bash --install
      eval "$(noderag completion bash)"
    """
    from typer._completion_shared import get_completion_script
    from typer._completion_shared import install as install_script

    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.printed import console, show

    if not install:
        script = get_completion_script(prog_name=PROGRAM, complete_var=ASKED_BY_SHELL, shell=shell.value)
        if as_json:
            print_document({"shell": shell, "script": script})
        else:
            typer.echo(script)
        return
    try:
        _, path = install_script(shell.value, PROGRAM, ASKED_BY_SHELL)
    except OSError as error:
        raise _cannot_install(shell, error) from error
    if as_json:
        print_document({"shell": shell, "file": path})
    else:
        show(console(), f"Completion for {shell} is in {path}. It works in the next shell that you open.")


def _cannot_install(shell: Shell, error: OSError) -> Exception:
    from noderag_local.domain.errors import SourceError

    return SourceError(
        f"{error.filename} cannot be written: {error.strerror}. Fix its permissions, or put the output of "
        f"`noderag completion {shell}` into a file that your shell reads at its start."
    )
