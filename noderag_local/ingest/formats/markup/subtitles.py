"""Subtitles (.srt, .vtt): cues joined to sentences, each placed by the moment when its first word is said."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of

MAX_BLOCK_CHARACTERS = 600
"""A speech without full stops (automatic captions have none) is cut after this much."""
LONG_SILENCE_SECONDS = 4.0
"""A pause of this length ends a block, whatever stands before it."""

_TIMING = re.compile(
    r"[ \t]*(?:(?P<h>\d{1,3}):)?(?P<m>\d{1,2}):(?P<s>\d{2})[.,]\d{1,3}[ \t]*-->"
    r"[ \t]*(?:(?P<end_h>\d{1,3}):)?(?P<end_m>\d{1,2}):(?P<end_s>\d{2})[.,]\d{1,3}"
)
_SPEAKER = re.compile(r"<v(?:\.[\w.-]+)?[ \t]+(?P<name>[^<>]{1,100})>")
_MARKUP = re.compile(r"</?[a-zA-Z0-9][^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")
_SENTENCE_END = re.compile(r"[.!?…。！？]['\"”’»)\]]*$")


@dataclass(frozen=True, slots=True)
class _Cue:
    """Text that is shown at one moment."""

    start: int
    """Seconds from the start."""
    end: int
    text: str
    first_line: int
    last_line: int


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    cues = list(_cues(text_of(file).split("\n")))
    if not cues:
        raise DocumentError("it has no line with the times of a subtitle")
    writer = BlockWriter()
    for speech in _speeches(cues):
        said = " ".join(cue.text for cue in speech)
        where = Whereabouts(_clock(speech[0].start), speech[0].first_line, speech[-1].last_line)
        writer.add(BlockKind.PARAGRAPH, said, where)
    yield ExtractedDocument("", tuple(writer.blocks))


def _cues(lines: list[str]) -> Iterator[_Cue]:
    """Yields each cue: a line of times, and the text up to the next empty line or line of times."""
    at = 0
    while at < len(lines):
        timing = _TIMING.match(lines[at])
        at += 1
        if timing is None:
            continue
        first = at
        while at < len(lines) and lines[at].strip() and not _TIMING.match(lines[at]):
            at += 1
        last = at
        # Some programs leave no empty line between cues, so that the next cue's number is read as text.
        if at < len(lines) and _TIMING.match(lines[at]) and lines[at - 1].strip().isdigit():
            last -= 1
        text = _spoken(" ".join(lines[first:last]))
        if text:
            yield _Cue(_seconds(timing, ""), _seconds(timing, "end_"), text, first + 1, last)


def _seconds(timing: re.Match[str], which: str) -> int:
    return int(timing[which + "h"] or 0) * 3600 + int(timing[which + "m"]) * 60 + int(timing[which + "s"])


def _spoken(text: str) -> str:
    named = _SPEAKER.sub(r"\g<name>: ", text)
    return folded_text(html.unescape(_MARKUP.sub("", named)))


def _speeches(cues: list[_Cue]) -> Iterator[list[_Cue]]:
    """Yields cues that belong together: up to the end of a sentence, a long silence or the greatest length.

    Captions that roll up repeat the line before; what is repeated is shown once.
    """
    speech: list[_Cue] = []
    for cue in cues:
        if speech and cue.text == speech[-1].text:
            continue
        if speech and cue.start - speech[-1].end >= LONG_SILENCE_SECONDS:
            yield speech
            speech = []
        speech.append(cue)
        if _SENTENCE_END.search(cue.text) or sum(len(part.text) for part in speech) > MAX_BLOCK_CHARACTERS:
            yield speech
            speech = []
    if speech:
        yield speech


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


EXTRACTOR = Extractor(_read)
