"""What a language model could say, by a rule: for vaults whose language-model tier is to be full without a model."""

from __future__ import annotations

import re
from itertools import pairwise

from noderag_local.models.llm.engine import Request

_NUMBERED = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*")


def answered(request: Request) -> str:
    """Statements of the names in each numbered sentence; what else is asked is answered with what was read."""
    asked = request.messages[-1].content
    lines = []
    for number, sentence in _NUMBERED.findall(asked):
        lines += [f"{number} {one} | with | {other}" for one, other in pairwise(_NAME.findall(sentence))]
    return "\n".join(lines) or asked[-300:]
