"""Patterns of phrases that state a relation between two people."""

from __future__ import annotations

import re
from functools import cache

from noderag_local.vault.browsing.relation_words import kin_words, near_words

NAME = r"(?:(?:Dr|Dra|Prof|Mr|Mrs|Ms|Sr|Sra|Fr|St)\.\s)?[^\W\d_a-zß-öø-ÿ][\w’'-]*(?:\s(?:(?:de|da|do|dos|van|von|der|del|di)\s)?[^\W\d_a-zß-öø-ÿ][\w’'-]*){0,3}"
"""Pattern of a name: up to four capitalised words, with a title in front and particles between them."""


@cache
def _any_relation() -> str:
    words = sorted(kin_words() | near_words(), key=len, reverse=True)
    return "|".join(f"[{word[0]}{word[0].upper()}]{re.escape(word[1:])}" for word in words)


@cache
def kin_and_name() -> re.Pattern[str]:
    """Returns the pattern of "husband Wim"."""
    return re.compile(
        rf"(?<![\w'’-])(?P<kin>(?:ex |best )?(?:{_any_relation()}))\s(?P<name>{NAME}(?:\s(?:&|and|und|en|y)\s{NAME})?)"
    )


@cache
def possessive() -> re.Pattern[str]:
    """Returns the pattern of "Koen's wife Sofie" and "my sister Isla"."""
    return re.compile(
        rf"(?<![\w’'-])(?:(?P<owner>{NAME}?)(?:['’]s|['’](?=\s))|(?:[Mm]y|[Mm]eine?))\s(?:ex |best )?(?P<kin>{_any_relation()}),?\s(?P<name>{NAME})"
    )


@cache
def kin_of() -> re.Pattern[str]:
    """Returns the pattern of "Lou, friend of Stan"."""
    return re.compile(
        rf"(?<![\w’'-])(?P<first>{NAME})(?:\s?\((?:\d+,\s)?|,\s(?:the\s|a\s)?|\sis\s(?:the\s|a\s)?)(?P<kin>{_any_relation()})\sof\s(?P<second>{NAME})"
    )
