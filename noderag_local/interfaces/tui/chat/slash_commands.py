"""The commands of the question box: their names, arguments and completions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

SIGN = "/"
NOTE = "note"
"""Command whose argument is a text of its own, of one line or several."""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command that the question box knows."""

    name: str
    takes: str
    """Its argument as it is shown; empty if it has none."""
    does: str
    """Short description of its effect."""


COMMANDS = (
    SlashCommand("method", "NAME", "how passages are searched for"),
    SlashCommand("budget", "N", "tokens of passages that a question may use"),
    SlashCommand("scope", "", "ask a folder, a tag or a time only"),
    SlashCommand("passages", "", "passages alone, without the language model; again: with it"),
    SlashCommand("new", "", "begin a new conversation"),
    SlashCommand("talks", "", "earlier conversations"),
    SlashCommand("name", "NAME", "name this conversation"),
    SlashCommand(NOTE, "TEXT", "add a line to your inbox, as noderag add does"),
    SlashCommand("export", "", "write this conversation to a Markdown file"),
    SlashCommand("why", "", "how the last answer was found"),
    SlashCommand("help", "", "the manual, at the page for this screen"),
)


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A command as the user typed it."""

    name: str
    argument: str


@dataclass(frozen=True, slots=True)
class Hint:
    """A completion of a command that is being typed."""

    text: str
    """Text of the box after accepting the completion."""
    does: str


def is_command(text: str) -> bool:
    """Returns whether a text is a command; a path such as /home/anna is a question."""
    is_one_word = text.startswith(SIGN) and SIGN not in text.split(maxsplit=1)[0][1:]
    return is_note(text) or (is_one_word and "\n" not in text)


def is_note(text: str) -> bool:
    """Returns whether a text is the command that adds to the inbox."""
    return bool(re.match(rf"{SIGN}{NOTE}(\s|$)", text, re.IGNORECASE))


def parse_command(text: str) -> ParsedCommand:
    """Returns the command and its argument."""
    name, *argument = text.removeprefix(SIGN).strip().split(maxsplit=1) or [""]
    return ParsedCommand(name.lower(), argument[0] if argument else "")


def unknown_command(name: str) -> str:
    """Returns the message for an unknown command."""
    return f"There is no command /{name}. There are: {', '.join(SIGN + command.name for command in COMMANDS)}."


def hints(text: str, methods: Sequence[str]) -> tuple[Hint, ...]:
    """Returns the completions of a command; none if the text is not a command or is complete.

    Args:
        text: text in the question box.
        methods: method names that /method accepts.
    """
    if not is_command(text):
        return ()
    written = text[1:].lower()
    name, blank, argument = written.partition(" ")
    if name == "method" and blank:
        return tuple(Hint(f"/method {one}", "") for one in methods if one.startswith(argument) and one != argument)
    if blank:
        return ()
    return tuple(
        Hint(f"/{command.name}{' ' if command.takes else ''}", _told(command))
        for command in COMMANDS
        if command.name.startswith(name) and (command.takes or command.name != name)
    )


def _told(command: SlashCommand) -> str:
    return f"{command.takes} – {command.does}" if command.takes else command.does
