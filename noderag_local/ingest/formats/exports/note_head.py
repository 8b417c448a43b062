"""Writes the first line of a note of another program, with its program and dates, and names notes without a title."""

from __future__ import annotations

from collections.abc import Sequence

from noderag_local.ingest.formats.block_writer import folded_text

LONGEST_NAME = 60
"""Maximum number of characters of a name that is made from a note's first line."""
BOX, TICKED = "- [ ] ", "- [x] "
"""Marks of an item that is to be done, and of one that is done."""


def head_line(program: str, created: str, changed: str, facts: Sequence[str] = ()) -> str:
    """Returns the first line of a note: "2024-05-01: note in Evernote, changed on 2024-06-02, by Ann.".

    The sentences below belong to the day at its beginning.

    Args:
        program: name of the program.
        created: day on which it was written; "" if that is not known.
        changed: day of the last change; "" if that is not known.
        facts: what else is known.
    """
    told = [f"changed on {changed}"] if created and changed not in ("", created) else []
    line = ", ".join([f"note in {program}", *told, *filter(None, facts)])
    day = created or changed
    return f"{day}: {line}." if day else f"{line[0].upper()}{line[1:]}."


def begun_by(text: str) -> str:
    """Returns a name for a note without a title: its first line, cut at a word."""
    line = folded_text(text.strip().partition("\n")[0]).removeprefix(BOX).removeprefix(TICKED)
    return line if len(line) <= LONGEST_NAME else f"{line[:LONGEST_NAME].rpartition(' ')[0] or line[:LONGEST_NAME]} …"
