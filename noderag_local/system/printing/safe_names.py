"""File names that Linux, macOS and Windows take, Obsidian links to, and no program runs anything in."""

from __future__ import annotations

import re
import unicodedata

from noderag_local.system.printing.plain_text import printable

LONGEST = 80
"""Characters, without the ending."""
LONGEST_BYTES = 240
"""The same in UTF-8; file systems end at 255, an ending and a number among them."""

_UNFIT = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|#^\[\]{}`]+|%(?=%)|\((?=\()')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)
"""What Windows takes for a device, whatever stands behind a dot."""


def safe_name(text: str, otherwise: str) -> str:
    """`text` as a file's name without its ending; `otherwise` where nothing of it can stay."""
    name = " ".join(_UNFIT.sub(" ", unicodedata.normalize("NFC", printable(text))).split())[:LONGEST]
    name = name.encode()[:LONGEST_BYTES].decode(errors="ignore").strip(" .")
    return f"_{name}" if _DEVICE.match(name) else name or otherwise


class SafeNames:
    """Names in one folder: none twice, on file systems that do not tell capitals apart either."""

    def __init__(self, otherwise: str) -> None:
        """Nothing is named yet; `otherwise` names what has no fit letter."""
        self._otherwise = otherwise
        self._taken: set[str] = set()

    def new(self, text: str) -> str:
        """A name like `text`, with a number where that is taken."""
        wanted = name = safe_name(text, self._otherwise)
        number = 1
        while _folded(name) in self._taken:
            number += 1
            name = f"{wanted} {number}"
        self._taken.add(_folded(name))
        return name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
