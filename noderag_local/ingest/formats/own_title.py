"""Takes the title from a file's properties if a person wrote it.

Most programs fill it in unasked: with the file's name, the name of the program or the word for a new document.
"""

from __future__ import annotations

import re

from noderag_local.system.printing.plain_text import printable

MAX_CHARACTERS = 200

_MADE_UP = re.compile(
    r"untitled.*|unbenannt.*|sans[ -]titre.*|no title|title|titel|slide 1|folie 1|(?:document|dokument)\s?\d*"
    r"|word[ -](?:document|dokument)|powerpoint[ -](?:presentation|präsentation)|présentation powerpoint|microsoft (?:word|powerpoint|excel) - .*"
    r"|.*\.(?:docx?|odt|rtf|pdf|tex|dvi|ps|indd|qxd|pptx?|xlsx?|pages|pub|fm|md|html?)",
    re.IGNORECASE,
)


def own_title(title: str, file_name: str) -> str:
    """Returns `title` on one line, or "" if a program made it up.

    Args:
        file_name: without folder; a title that is no more than that says nothing.
    """
    folded = " ".join(printable(title).split())
    is_name = folded.casefold() in (file_name.casefold(), file_name.rpartition(".")[0].casefold())
    return "" if is_name or len(folded) > MAX_CHARACTERS or _MADE_UP.fullmatch(folded) else folded
