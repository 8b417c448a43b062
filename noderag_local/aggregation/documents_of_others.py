"""Finds documents in which "I" may not be the author of the notes: mail, subtitles, abstracts, conversations."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePath

from noderag_local.aggregation.entries import NoteEntry

_OF_OTHERS = frozenset({".eml", ".mbox", ".srt", ".vtt", ".jsonl", ".bib", ".ris"})
_SPEAKER = re.compile(
    r"(?:\[[^\]]{1,30}\]\s?([^\W_][^:\[\]]{0,59}|\+[\d ()-]{5,30})|([^\W\d_]{1,30}(?: [^\W\d_]{1,30})?)): "
)
"""Speaker at the beginning of a turn of a conversation; after the time of a message, any name or number is a speaker."""
FEWEST_SPEAKERS = 2
LEAST_SPOKEN = 0.3
"""Share of the sentences of a conversation that begin a turn."""


def written_by_others(entries: Iterable[NoteEntry]) -> set[int]:
    """Returns the ids of the documents in which others speak or write.

    Args:
        entries: all entries of the documents.
    """
    speakers: dict[int, list[str]] = defaultdict(list)
    found: set[int] = set()
    for one in entries:
        sentence = one.sentence
        match = _SPEAKER.match(sentence.text)
        name = (match[1] or match[2]) if match else ""
        speakers[sentence.document_id].append("" if name[:1].islower() else name)
        if PurePath(sentence.path).suffix.casefold() in _OF_OTHERS:
            found.add(sentence.document_id)
    return found | {number for number, names in speakers.items() if _is_conversation(names)}


def _is_conversation(speakers: list[str]) -> bool:
    spoken = [name for name in speakers if name]
    return len(set(spoken)) >= FEWEST_SPEAKERS and len(spoken) >= LEAST_SPOKEN * len(speakers)
