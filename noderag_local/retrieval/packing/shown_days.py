"""Tells the reader of a context which days relative dates mean, as in "I saw her yesterday (= 2023-05-07)".

The days stand in the context only, at the end of a sentence, whose own words stay together as the notes have them: what a model
quotes can be found, and a measure that looks for a sentence in the context finds it.
"""

from __future__ import annotations

from collections.abc import Sequence

from noderag_local.retrieval.packing.lead_ins import SentenceShape
from noderag_local.text.dates.meant_days import UNSURE, MeantDays, meant_days

_ENDS = ' \t.!?…。！？"”’»)*_'
"""Characters that may follow the last word of a sentence."""


def days_in(text: str, shape: SentenceShape, label: str) -> list[MeantDays]:
    """Returns the days that the relative dates of a sentence mean; none where nothing tells when it was written.

    Args:
        text: the sentence.
        shape: what it stands in.
        label: label of its source, which may tell its day already.
    """
    if shape.written is None:
        return []
    return meant_days(text, shape.written, (label, *(one.text for one in shape.lead_ins)))


def with_days(text: str, meant: Sequence[MeantDays]) -> str:
    """Returns a sentence with the days that its relative dates mean, before its full stop; those that are not sure are left out."""
    shown = shown_days(text, meant)
    end = len(text.rstrip(_ENDS))
    return f"{text[:end]} {shown}{text[end:]}" if shown else text


def shown_days(text: str, meant: Sequence[MeantDays]) -> str:
    """Returns "(= 2023-05-07)", with more than one relative date "(yesterday = 2023-05-07, last month = 2023-04)"; "" for none."""
    sure = [one for one in meant if one.sign != UNSURE]
    if len(sure) == 1:
        return f"({sure[0].sign} {sure[0].days})"
    told = (f"{text[one.start : one.end]} {one.sign} {one.days}" for one in sure)
    return f"({', '.join(told)})" if sure else ""
