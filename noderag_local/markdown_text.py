"""Text from notes and models as Markdown that shows it and does nothing: nothing to fetch, nothing to click."""

from __future__ import annotations

import re

from noderag_local.plain_text import printable

_BROKEN = (
    ("![", r"!\["),
    ("](", r"]\("),
    ("]:", r"]\:"),
    ("://", r":\//"),
    ("www.", r"www\."),
)
"""Images, links, their definitions, and addresses that readers make links of by themselves. The escape stands inside each, where
no backslash of the text before it can undo it."""
_TAG = re.compile(r"(?<!\\)((?:\\\\)*)<")
"""The beginning of HTML that is not escaped already: a second backslash would free it."""


def harmless(text: str) -> str:
    """`text` with the signs that begin links, images and HTML escaped; lines and all other Markdown stay."""
    shown = _TAG.sub(r"\1\\<", printable(text))
    for sign, escaped in _BROKEN:
        shown = shown.replace(sign, escaped)
    return shown


def one_line(text: str) -> str:
    """`harmless` text on one line, white space folded."""
    return " ".join(harmless(text).split())


def code(text: str) -> str:
    """A path or name in backticks, as it is but for what would end them."""
    shown = " ".join(printable(text).split()).replace("`", "'")
    return f"`{shown}`"


def file_link(label: str, path: str) -> str:
    """A link of our own to a file of the user's, absolute; in angle brackets, so that any path is one address."""
    from urllib.parse import quote

    words = " ".join(printable(label).split())
    for sign in r"\[]<>`":
        words = words.replace(sign, f"\\{sign}")
    return f"[{words}](<file://{quote(path, errors='surrogateescape')}>)"
