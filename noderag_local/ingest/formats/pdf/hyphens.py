"""Lines joined to running text, and words that were parted at a line's end made whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PARTED = re.compile(r"(?<![^\W\d_])([^\W\d_]++)[-\u2010\u00ad]$")
_NEXT = re.compile(r"[^\W\d_]+")
_MAX_WORD = 80
"""Characters at the end of a line that are looked at."""
_CONJUNCTIONS = {"und", "oder", "bzw", "and", "or", "to", "bis", "et", "ou", "och", "en", "of", "y"}
"""After these a hyphen stands for a word that comes later: "Haupt- und Nebensatz"."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")


class HyphenVocabulary:
    """The words of a document that are not parted, to tell a parted word from one with a hyphen."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        for line in lines:
            words = _WORD.findall(line)
            self._counts.update(word.casefold() for word in words)

    def joined(self, lines: Iterable[str]) -> str:
        """Lines of one paragraph as one line."""
        parts: list[str] = []
        for line in lines:
            shown = line.strip()
            if shown and parts:
                parts[-1:] = self._bridged(parts[-1], shown)
            elif shown:
                parts.append(shown)
        return "".join(parts).replace("\u00ad", "")

    def _bridged(self, above: str, below: str) -> tuple[str, str]:
        """Two lines with what belongs between them at the end of the first or the start of the second."""
        parted, following = _PARTED.search(above[-_MAX_WORD:]), _NEXT.match(below[:_MAX_WORD])
        if parted and following:
            return self._mended(above, below, parted[1], following[0])
        ends_open = above.endswith(("-", "–", "/")) and len(above) > 1 and not above[-2].isspace() and following is None
        if ends_open or (_CJK.match(above[-1]) and _CJK.match(below[0])):
            return above, below
        return above, f" {below}"

    def _mended(self, above: str, below: str, first: str, second: str) -> tuple[str, str]:
        if second.casefold() in _CONJUNCTIONS:
            return above, f" {below}"
        whole, hyphened = (first + second).casefold(), f"{first}-{second}".casefold()
        keeps_hyphen = second[0].isupper() or self._counts[hyphened] > self._counts[whole]
        return f"{above[:-1]}-" if keeps_hyphen and above[-1] != "\u00ad" else above[:-1], below
