"""Tells whether a sentence says a title, heading or lead-in itself."""

from __future__ import annotations

import re

from noderag_local.storage.documents.bigrams import spaced_out


def says(text: str, name: str) -> bool:
    """Returns whether a text has a name as whole words: "Time for tea" does not say "Tim".

    Args:
        text: the sentence.
        name: as it would stand in front of the sentence. In scripts without spaces, any place will do.
    """
    if name not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(spaced_out(name).strip())}(?!\w)", spaced_out(text)) is not None
