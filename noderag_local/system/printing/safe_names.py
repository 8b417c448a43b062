"""Makes file names that Linux, macOS and Windows accept, that Obsidian can link to, and that contain no code."""

from __future__ import annotations

import re
import unicodedata

from noderag_local.system.printing.plain_text import printable

LONGEST = 80
"""Most characters of a name, without the ending."""
LONGEST_BYTES = 240
"""Most bytes of a name in UTF-8; file systems allow 255, with the ending and a number."""

_UNFIT = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|#^\[\]{}`]+|%(?=%)|\((?=\()')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)
"""Names that Windows takes for a device, whatever follows after a dot."""


def safe_name(text: str, otherwise: str) -> str:
    """Returns `text` as a file name without an ending; returns `otherwise` if none of its characters can be used."""
    name = " ".join(_UNFIT.sub(" ", unicodedata.normalize("NFC", printable(text))).split())[:LONGEST]
    name = name.encode()[:LONGEST_BYTES].decode(errors="ignore").strip(" .")
    return f"_{name}" if _DEVICE.match(name) else name or otherwise


class SafeNames:
    """Gives out file names for one folder, each once, even on file systems that ignore case."""

    def __init__(self, otherwise: str) -> None:
        """Starts without names; `otherwise` is the name for a text without usable characters."""
        self._otherwise = otherwise
        self._taken: set[str] = set()

    def new(self, text: str) -> str:
        """Returns an unused name like `text`, with a number if the name is taken."""
        wanted = name = safe_name(text, self._otherwise)
        number = 1
        while _folded(name) in self._taken:
            number += 1
            name = f"{wanted} {number}"
        self._taken.add(_folded(name))
        return name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
