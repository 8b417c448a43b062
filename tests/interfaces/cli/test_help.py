"""What a person sees first."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.command_line import Command, commands

import noderag_local
from noderag_local.domain import errors
from noderag_local.interfaces.cli.run_command import run


def of(command: Command) -> str:
    return command.name


def test_help_names_every_command_and_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    for command in commands():
        assert f"  {command.words[0]} " in shown
    codes = {error.exit_code for error in vars(errors).values() if isinstance(error, type)}
    for code in {*codes, 0, 2, 70, 130, 141}:
        assert f" {code} " in shown


def test_the_list_of_commands_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    run(["--help"])
    shown = capsys.readouterr().out
    assert "..." not in shown.split("Commands:")[1]


@pytest.mark.parametrize("command", commands(), ids=of)
def test_every_command_says_what_it_does_and_gives_an_example(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command.words, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"noderag {command.name}" in shown.split("Example", 1)[1]
    assert ("--json" in shown) is (command.name not in ("ui", "mcp", "serve", "browser"))
    for option in command.options:
        assert re.search(rf"^  (-\w, )?{option}\b", shown, re.MULTILINE)


@pytest.mark.parametrize(
    "command",
    [c for c in commands() if c.words[0] not in ("models", "help", "methods", "convert", "completion", "resident")],
    ids=of,
)
def test_every_command_takes_a_vault(command: Command) -> None:
    assert "--vault" in command.options


@pytest.mark.parametrize("command", commands(), ids=of)
def test_every_command_can_write_a_log(command: Command) -> None:
    assert {"--log", "--log-names"} <= set(command.options)


@pytest.mark.parametrize("words", [[], ["ask"], ["models", "list"]])
def test_h_is_short_for_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words, "-h"]) == 0
    assert "-h, --help" in capsys.readouterr().out


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"noderag {noderag_local.__version__}\n"


def test_help_loads_no_library_that_takes_time() -> None:
    slow = ["rich", "pydantic", "numpy", "regex", "tokenizers", "sqlite3", "torch", "llama_cpp"]
    code = (
        "import sys\nfrom noderag_local.interfaces.cli.run_command import run\nrun(['--help'])\n"
        f"print('loaded:', [name for name in {slow!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.endswith("loaded: []\n")


def test_the_command_and_the_module_are_the_same() -> None:
    for command in ([sys.executable, "-m", "noderag_local"], [str(Path(sys.executable).with_name("noderag"))]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout == f"noderag {noderag_local.__version__}\n"
