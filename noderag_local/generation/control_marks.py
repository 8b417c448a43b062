"""Turns control marks of chat templates in notes into plain words: a model obeys them even as ordinary letters."""

from __future__ import annotations

import re

from noderag_local.system.printing.plain_text import printable

_ROLES = "system|user|assistant|im_start|im_end|start_of_turn|end_of_turn|think|tool_call|tool_response|bos|eos|pad|unk"
_MARK = re.compile(rf"<\|([^<>|\n]{{1,40}})\|>|<</?(SYS)>>|\[/?(INST)\]|</?({_ROLES})>|</s>(?:<s>)?()", re.IGNORECASE)
"""Control marks of Qwen, Llama 2 and 3, Mistral, Gemma, Phi and related models. A lone <s> is HTML and stays."""


def without_control_marks(text: str) -> str:
    """Returns `text` with control marks as plain words and without invisible characters; never longer than it was."""
    return _MARK.sub(lambda mark: next(name for name in mark.groups() if name is not None), printable(text))
