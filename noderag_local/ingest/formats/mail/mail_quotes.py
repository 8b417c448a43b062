"""Finds what is new in a reply: its text without the mail that it quotes."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"[ \t]*>")
_ATTRIBUTION_END = re.compile(
    r"(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|написал[а]?)[^\n:]{0,120}:\s*$"
)
_ORIGINAL = re.compile(
    r"[ \t]*-{2,}[ \t]*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|"
    r"messaggio originale|oorspronkelijk bericht)[ \t]*-{2,}",
    re.IGNORECASE,
)
_OUTLOOK_RULE = re.compile(r"_{20,}[ \t]*$")
_OUTLOOK_FROM = re.compile(r"[ \t]*\*?(?:From|Von|De|Da|Van)\*?[ \t]*:\*?[ \t]")
_OUTLOOK_SENT = re.compile(r"[ \t]*\*?(?:Sent|Gesendet|Envoyé|Enviado|Inviato|Verzonden|Date|Datum)\*?[ \t]*:\*?[ \t]")
ATTRIBUTION_LINES = 3
"""Most lines over which a program may break "On Monday … wrote:"."""


def new_text(text: str) -> str:
    """The text of a reply without quoted lines, the lines that introduce them, and an original that is hung on.

    A text that is nothing but quotes stays as it is.
    """
    lines = text.split("\n")
    lines = lines[: _original(lines)]
    kept: list[str] = []
    for line in lines:
        if not _QUOTED.match(line):
            kept.append(line)
        else:
            _drop_attribution(kept)
    shown = "\n".join(kept)
    return shown if shown.strip() else text


def _original(lines: list[str]) -> int:
    """Where the whole original begins that some programs hang on without quote marks; the end where none is."""
    for at, line in enumerate(lines):
        following = lines[at + 1 : at + 3]
        begins = bool(_OUTLOOK_FROM.match(line)) and any(_OUTLOOK_SENT.match(other) for other in following)
        if begins and at and _OUTLOOK_RULE.match(lines[at - 1]):
            return at - 1
        if begins or _ORIGINAL.match(line):
            return at
    return len(lines)


def _drop_attribution(kept: list[str]) -> None:
    """Take "On 1 May 2024, Jonas wrote:" from the end of what is kept, where it stands there."""
    end = len(kept)
    while end and not kept[end - 1].strip():
        end -= 1
    for count in range(1, ATTRIBUTION_LINES + 1):
        first = end - count
        if first < 0 or not kept[first].strip():
            return
        is_start = first == 0 or not kept[first - 1].strip()
        if is_start and _ATTRIBUTION_END.search(" ".join(kept[first:end])):
            del kept[first:]
            return
