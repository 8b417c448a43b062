"""Tells whether a sentence says a title, heading or lead-in itself."""

from __future__ import annotations

import re

from noderag_local.storage.documents.bigrams import spaced_out

_WORD_CHARACTER = re.compile(r"\w")


def says(text: str, name: str) -> bool:
    """Returns whether a text has a name as whole words: "Time for tea" does not say "Tim".

    Args:
        text: the sentence.
        name: as it would stand in front of the sentence. In scripts without spaces, any place will do.
    """
    if name not in text:
        return False
    words = spaced_out(name).strip()
    # A word ends at a sign anyway, so what follows "Ada:" or "C++" may be a letter.
    before = r"(?<!\w)" if _WORD_CHARACTER.match(words[:1]) else ""
    behind = r"(?!\w)" if _WORD_CHARACTER.match(words[-1:]) else ""
    return re.search(f"{before}{re.escape(words)}{behind}", spaced_out(text)) is not None
