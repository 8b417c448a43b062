"""Writes texts in the form in which people's spellings of the same word are equal."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """Returns a text in lower case and without accents, for comparing and searching."""
    text = text.casefold()
    if text.isascii():
        return text
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
