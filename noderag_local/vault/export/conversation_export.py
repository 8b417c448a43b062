"""Writes a conversation as a Markdown file with its sources as footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from noderag_local.domain.errors import SourceError
from noderag_local.domain.passages import Source
from noderag_local.generation.citing.markers import MARKER, numbers
from noderag_local.retrieval.scope_words import in_words
from noderag_local.storage.conversations.conversations import Conversation, Turn
from noderag_local.system.disk.private_files import remove_left, replacing
from noderag_local.system.printing.cited_place import where
from noderag_local.system.printing.markdown_text import code, harmless, one_line
from noderag_local.system.printing.safe_names import safe_name


def write_markdown(conversation: Conversation, turns: Sequence[Turn], folder: Path) -> Path:
    """Writes a conversation as Markdown into a folder; if the file name is taken, the new file gets a number.

    Raises:
        SourceError: the folder cannot be written to.
    """
    named = folder / file_name(conversation)
    for number in count(1):
        path = named if number == 1 else named.with_stem(f"{named.stem} {number}")
        remove_left(path)
        try:
            with replacing(path, only_new=True) as file:
                file.write(as_markdown(conversation, turns).encode())
            return path
        except FileExistsError:
            continue
        except OSError as error:
            raise SourceError(
                f"{path} cannot be written: {error.strerror or error}. Name another folder, or make room."
            ) from error
    raise AssertionError("numbers do not end")


def as_markdown(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Returns the whole conversation as Markdown.

    Every question is a heading; its answer follows, its markers as footnotes with path, lines, headings and text of the
    sources that it cites. Images, links and HTML in answers and notes are shown as text, so that a reader of the file
    has nothing to fetch and nobody clicks on what a model wrote.
    """
    parts = [f"# {one_line(conversation.name)}", f"{conversation.created.astimezone():%Y-%m-%d %H:%M}"]
    for number, turn in enumerate(turns, 1):
        parts += [f"## {one_line(turn.question)}", *_asked(turn), *_answered(number, turn)]
    return "\n\n".join(part for part in parts if part) + "\n"


def file_name(conversation: Conversation) -> str:
    """Returns a file name, with its ending, that every file system accepts."""
    return f"{safe_name(conversation.name, 'conversation')}.md"


def _asked(turn: Turn) -> Iterator[str]:
    if turn.asked_as and turn.asked_as != turn.question:
        yield f"*Asked as: {one_line(turn.asked_as)}*"
    if not turn.scope.is_everything:
        yield f"*Searched in: {one_line(in_words(turn.scope))}*"


def _answered(number: int, turn: Turn) -> Iterator[str]:
    known = [source.number for source in turn.found.sources]
    cited = {one for marker in MARKER.findall(turn.answer) for one in numbers(marker, known)}

    def footnoted(marker: re.Match[str]) -> str:
        # Footnotes are of the whole file: [2] of the third question is [^3-2].
        return "".join(f"[^{number}-{one}]" for one in numbers(marker[0], known)) or marker[0]

    yield MARKER.sub(footnoted, harmless(turn.answer).strip())
    if turn.note:
        yield f"*{one_line(turn.note)}*"
    yield "\n".join(_footnote(number, source) for source in turn.found.sources if source.number in cited)


def _footnote(number: int, source: Source) -> str:
    under = " › ".join(dict.fromkeys(one_line(name) for name in (source.title, *source.headings) if name.strip()))
    place = ", ".join(
        part
        for part in (code(source.path), one_line(where(source.first_line, source.last_line, source.place)), under)
        if part
    )
    return f"[^{number}-{source.number}]: {place}: “{one_line(source.text)}”"
