"""Reads prompts from text files, each with a version line, in the folder `prompts` of the package that uses them.

The instruction and a short example are the same in every request, so an engine reads them only once. A small model follows an
example better than an instruction.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files

from noderag_local.models.llm.engine import Message, Role

_TURN = re.compile(r"^\[(system|user|assistant)\]\n", re.MULTILINE)


@cache
def prompt_file(room: str, name: str) -> str:
    """Returns the whole text of a prompt file, including its version line.

    Args:
        room: dotted name of the package that contains the prompt, such as "generation".
        name: name of the file without its suffix.
    """
    return files(f"noderag_local.{room}").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")


@cache
def turns(room: str, name: str) -> tuple[Message, ...]:
    """Returns the messages of a prompt file in order; arguments as for `prompt_file`."""
    parts = _TURN.split(prompt_file(room, name))[1:]
    return tuple(Message(Role(role), text.strip()) for role, text in zip(parts[::2], parts[1::2], strict=True))


@cache
def prompt_version(room: str, name: str, parser: int) -> str:
    """Returns a version that changes with the text of a prompt or with its parser.

    Args:
        room: see `prompt_file`.
        name: see `prompt_file`.
        parser: number of the parser; raise it when the constraint, the limits of a request, or the parser and its checks
            change.
    """
    text = prompt_file(room, name)
    version = text.partition("\n")[0].removeprefix("# version:").strip()
    return f"{name} {version}.{parser} {hashlib.sha256(text.encode()).hexdigest()[:8]}"
