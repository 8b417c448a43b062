"""The README documents every command, option, exit code and setting, and nothing that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Command, commands

from noderag_local import errors
from noderag_local.config import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = README.split("## Commands\n")[1].split("\n## ")[0]
FOR_ALL, *SECTIONS = re.split(r"^### ", COMMANDS, flags=re.MULTILINE)
EVERYWHERE = {"--vault", "--json", "--models-dir"}
"""Options that are documented once for all commands."""


def section(title: str) -> str:
    return next(text for text in SECTIONS if text.startswith(title))


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_every_command_has_a_section_with_its_arguments_and_options(command: Command) -> None:
    text = section(f"noderag {command.name}")
    heading = text.splitlines()[0]
    for argument in command.arguments:
        assert argument.lower() in heading.lower()
    for option in command.options:
        assert option in (COMMANDS if option in EVERYWHERE else text)


def test_no_section_is_about_a_command_that_is_gone() -> None:
    documented = {text.splitlines()[0].split(" ", 1)[1] for text in SECTIONS if text.startswith("noderag ")}
    names = {command.name for command in commands()}
    assert all(any(title.startswith(name) for name in names) for title in documented)
    assert len(documented) == len(names)


def test_no_option_is_documented_that_does_not_exist() -> None:
    known = {option for command in commands() for option in command.options} | {"--help", "--version", "--debug"}
    assert set(re.findall(r"--[a-z][a-z-]+", COMMANDS)) <= known


def test_the_exit_codes_are_those_of_the_errors() -> None:
    codes = {error.exit_code for error in vars(errors).values() if isinstance(error, type)}
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", section("Exit codes"), re.MULTILINE)}
    assert documented == codes | {0, 2, 70, 130}


def test_the_settings_are_those_of_the_program() -> None:
    documented = re.findall(r"^\| `(\w+)` \| (\S+)", section("Settings"), re.MULTILINE)
    assert [name for name, _ in documented] == list(Settings.model_fields)
    for name, default in documented:
        if default.isdigit():
            assert Settings.model_fields[name].default == int(default)


def test_every_part_of_the_threat_model_names_tests_that_there_are() -> None:
    model = README.split("## Threat model\n")[1].split("\n## ")[0]
    parts = re.split(r"\n\n(?=\*\*)", model)[1:]
    assert len(parts) > 5
    for part in parts:
        named = re.findall(r"`((?:tests|scripts/bench)/[\w/.]+)", part.partition("*Tests:*")[2])
        assert named, part[:60]
        assert [path for path in named if not (ROOT / path).exists()] == []
