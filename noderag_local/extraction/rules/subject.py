"""Finds the entity that a paragraph is about."""

from __future__ import annotations

import itertools
import re

from noderag_local.extraction.rules.capitalised_names import name_spans
from noderag_local.extraction.rules.dates import dates
from noderag_local.extraction.rules.quoted_names import quoted_titles

MAX_WORDS_BEFORE = 4

_LEAD_IN = re.compile(
    r"(?:in|on|at|during|after|before|by|from|for|with|as|when|while|since|although|though|despite|because|under|"
    r"according to|prior to|following|am|im|nach|vor|bei|seit|dans|en|à|après|avant)\b[^,]{0,160},\s",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|had|have|became|becomes|will|would|can|may|ist|sind|war|waren|hat|wurde|est|sont|était|fut|es|son|fue|era)\b"
)


_DESCRIBED = re.compile(r" (?:(?!(?:of|in|at|by|for|on|to|from|with|or|that|which|who)\b)[a-z-]+ ){0,5}[\"“`]{0,2}\s?")


def leading_entity(text: str, title: str = "") -> str | None:
    """Returns the entity that a chunk or document is about, for its sentences that only say "she" or "it".

    The title where there is one. Else the first name of the first sentence, if it stands where its subject does: a
    few words from the start, an introductory phrase ("In 1957, …") passed over, and before the first verb.

    Args:
        text: the first sentence.
        title: of the document; "" where it has none.
    """
    if title:
        return title
    lead_in = _LEAD_IN.match(text)
    start = lead_in.end() if lead_in else 0
    verb = _VERB.search(text, start)
    subject = text[start : verb.start() if verb else len(text)]
    return _first_name(subject)


def _first_name(subject: str) -> str | None:
    """The first name or quoted title, or the one it only describes: "Indian astronomer Aryabhata" → "Aryabhata"."""
    closed = [span for span, _ in dates(subject)]
    found = [(start, end, title) for (start, end), title in quoted_titles(subject)]
    closed += ((start, end) for start, end, _ in found)
    for start, end in name_spans(subject):
        if not any(a < end and start < b for a, b in closed):
            found.append((start, end, subject[start:end]))
    found.sort()
    if not found or len(subject[: found[0][0]].split()) > MAX_WORDS_BEFORE:
        return None
    for (_, end, name), (start, _, _) in itertools.pairwise(found):
        if " " in name or not _DESCRIBED.fullmatch(subject, end, start):
            return name
    return found[-1][2]
