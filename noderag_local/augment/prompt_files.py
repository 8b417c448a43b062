"""The prompts of this room, and what tells that one has changed."""

from __future__ import annotations

import hashlib
from functools import cache

from noderag_local.llm import prompt_files
from noderag_local.llm.engine import Message

_ROOM = "augment"


def turns(name: str) -> tuple[Message, ...]:
    """The messages of a prompt file."""
    return prompt_files.turns(_ROOM, name)


@cache
def prompt_version(name: str, parser: int) -> str:
    """What changes with the prompt or with what is made of its answers.

    Args:
        name: of the prompt file.
        parser: number of the parser; raised when it reads or checks answers in another way.
    """
    text = prompt_files.prompt_file(_ROOM, name)
    version = text.partition("\n")[0].removeprefix("# version:").strip()
    return f"{name} {version}.{parser} {hashlib.sha256(text.encode()).hexdigest()[:8]}"
