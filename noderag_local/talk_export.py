"""A conversation as a Markdown file, its sources as footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from noderag_local.answer.markers import MARKER, numbers
from noderag_local.errors import SourceError
from noderag_local.plain_text import printable
from noderag_local.records import Source
from noderag_local.scope_words import in_words
from noderag_local.store.conversations import Conversation, Turn

LONGEST_FILE_NAME = 80
"""Characters, without the ending; file systems end at 255 bytes, which so many of three bytes are."""

_UNFIT = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')


def write_markdown(conversation: Conversation, turns: Sequence[Turn], folder: Path) -> Path:
    """Writes `as_markdown` into a folder; what is there already stays, and the new file gets a number.

    Raises:
        SourceError: the folder cannot be written to.
    """
    named = folder / file_name(conversation)
    for number in count(1):
        path = named if number == 1 else named.with_stem(f"{named.stem} {number}")
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(as_markdown(conversation, turns))
            return path
        except FileExistsError:
            continue
        except OSError as error:
            raise SourceError(
                f"{path} cannot be written: {error.strerror or error}. Name another folder, or make room."
            ) from error
    raise AssertionError("numbers do not end")


def as_markdown(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """The whole conversation.

    Every question is a heading; its answer follows, its markers as footnotes with path, lines, headings and text of the
    sources that it cites. Images and HTML in answers and notes are shown as text, so that a reader of the file that
    would fetch them has nothing to fetch.
    """
    parts = [f"# {_line(conversation.name)}", f"{conversation.created.astimezone():%Y-%m-%d %H:%M}"]
    for number, turn in enumerate(turns, 1):
        parts += [f"## {_line(turn.question)}", *_asked(turn), *_answered(number, turn)]
    return "\n\n".join(part for part in parts if part) + "\n"


def file_name(conversation: Conversation) -> str:
    """A name that every file system takes, with its ending."""
    name = " ".join(_UNFIT.sub(" ", printable(conversation.name)).split())[:LONGEST_FILE_NAME].strip(" .")
    return f"{name or 'conversation'}.md"


def _asked(turn: Turn) -> Iterator[str]:
    if turn.asked_as and turn.asked_as != turn.question:
        yield f"*Asked as: {_line(turn.asked_as)}*"
    if not turn.scope.is_everything:
        yield f"*Searched in: {_line(in_words(turn.scope))}*"


def _answered(number: int, turn: Turn) -> Iterator[str]:
    known = [source.number for source in turn.found.sources]
    cited = {one for marker in MARKER.findall(turn.answer) for one in numbers(marker, known)}

    def footnoted(marker: re.Match[str]) -> str:
        # Footnotes are of the whole file: [2] of the third question is [^3-2].
        return "".join(f"[^{number}-{one}]" for one in numbers(marker[0], known)) or marker[0]

    yield MARKER.sub(footnoted, _harmless(turn.answer).strip())
    if turn.note:
        yield f"*{_line(turn.note)}*"
    yield "\n".join(_footnote(number, source) for source in turn.found.sources if source.number in cited)


def _footnote(number: int, source: Source) -> str:
    first, last = source.first_line, source.last_line
    lines = f"line {first}" if first == last else f"lines {first}–{last}"
    under = " › ".join(dict.fromkeys(_line(name) for name in (source.title, *source.headings) if name.strip()))
    place = ", ".join(part for part in (f"`{_path(source.path)}`", lines, under) if part)
    return f"[^{number}-{source.number}]: {place}: “{_line(source.text)}”"


def _path(path: str) -> str:
    return " ".join(printable(path).split()).replace("`", "'")


def _line(text: str) -> str:
    return " ".join(_harmless(text).split())


def _harmless(text: str) -> str:
    return printable(text).replace("![", r"!\[").replace("<", r"\<")
