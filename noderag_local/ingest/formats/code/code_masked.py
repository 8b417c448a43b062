"""Source code without what only looks like code: comments and strings are blanked, and their braces do not count."""

from __future__ import annotations

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, String


def masked(text: str, lexer: str) -> str:
    """`text` with spaces for each character of a comment or string; as long, and its lines where they were.

    Args:
        text: with \\n at its line ends.
        lexer: name of one of Pygments.
    """
    pieces: list[str] = []
    at = 0
    for start, kind, value in get_lexer_by_name(lexer).get_tokens_unprocessed(text):
        if start < at:
            continue  # some lexers give a stretch twice, whole and in its parts
        pieces.append(text[at:start])
        at = start + len(value)
        hidden = kind in String or (kind in Comment and kind not in Comment.Preproc)
        pieces.append(_blank(value) if hidden else value)
    return "".join([*pieces, text[at:]])


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))
