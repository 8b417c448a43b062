"""The prompts of this room: text files with a version line, then the turns that come before every question.

The instruction and a short example stay the same from request to request, so an engine reads them once. A small model keeps
to a form that it has seen better than to one that it was told; what it copies of the example, no notes will carry.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files

from noderag_local.llm.engine import Message, Role

_TURN = re.compile(r"^\[(system|user|assistant)\]\n", re.MULTILINE)


@cache
def turns(name: str) -> tuple[Message, ...]:
    """The messages of a prompt file."""
    parts = _TURN.split(_read(name))[1:]
    return tuple(Message(Role(role), text.strip()) for role, text in zip(parts[::2], parts[1::2], strict=True))


@cache
def prompt_version(name: str, parser: int) -> str:
    """What changes with the prompt or with what is made of its answers.

    Args:
        name: of the prompt file.
        parser: number of the parser; raised when it reads or checks answers in another way.
    """
    text = _read(name)
    version = text.partition("\n")[0].removeprefix("# version:").strip()
    return f"{name} {version}.{parser} {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _read(name: str) -> str:
    return files("noderag_local.augment").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
