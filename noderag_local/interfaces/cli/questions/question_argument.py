"""The argument QUESTION: words of the command line, with or without quotes, or "-" for standard input."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

FROM_INPUT = "-"
MOST_CHARACTERS = 20_000
"""Characters of a question from standard input; a file given by mistake is refused instead of searched for."""


def _question(context: typer.Context, words: list[str]) -> list[str]:
    """Returns the question that is asked, as one word of the command line.

    Raises:
        BadParameter: it has no word, or standard input holds a whole file.
    """
    if context.resilient_parsing:
        # The shell completes the command line, and has no question to give.
        return words
    text = " ".join(words)
    question = _read_input() if text == FROM_INPUT else text
    if not any(letter.isprintable() and not letter.isspace() for letter in question):
        raise typer.BadParameter(
            f'it is empty. Write what you want to know, such as "When does the lease end?", or {FROM_INPUT} to read it '
            "from standard input."
        )
    return [question]


def _read_input() -> str:
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    text = sys.stdin.read(MOST_CHARACTERS + 1).strip()
    if len(text) > MOST_CHARACTERS:
        raise typer.BadParameter(
            f"standard input has more than {MOST_CHARACTERS:,} characters, which is no question. To search in a file, "
            "index it: noderag index FILE."
        )
    return text


Question = Annotated[
    list[str],
    typer.Argument(
        metavar="QUESTION...",
        help="A question in your own words; - reads it from standard input.",
        show_default=False,
        callback=_question,
    ),
]
