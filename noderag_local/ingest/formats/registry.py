"""Formats that are no plain text: each is read by a library, in a process of its own with limits."""

from __future__ import annotations

import os
from typing import NamedTuple


class Format(NamedTuple):
    """What is known of a format without its library."""

    kind: str
    """As a person calls such files."""
    module: str
    """Below this package, with an `EXTRACTOR`; imported where files are read, and only there."""
    suffixes: tuple[str, ...]
    """The extractor's own."""
    is_for_editors: bool = False
    """Whether a text editor shows what is cited of such a file; else the desktop's own program does."""
    version: int = 1
    """Goes up when its reader makes other documents of the same file: files that an older one read are read again."""


_CODE = (
    ".py .pyi .rb .lua .js .mjs .cjs .jsx .ts .tsx .java .c .h .cc .cpp .cxx .hpp .cs .dart .sh .bash .zsh .rs .go .kt .kts .swift"
    " .scala .php .sql"
)
FORMATS = (
    Format("EPUB", "markup.epub", (".epub",)),
    Format("Excel", "office.xlsx", (".xlsx", ".xlsm")),
    Format("HTML", "markup.html", (".html", ".htm", ".xhtml")),
    Format("LaTeX", "markup.latex", (".tex", ".latex", ".ltx"), True),
    Format("OpenDocument", "office.odt", (".odt", ".ott")),
    Format("Org", "markup.org", (".org",), True),
    Format("PDF", "pdf.pdf_file", (".pdf",)),
    Format("PowerPoint", "office.pptx", (".pptx",)),
    Format("RTF", "markup.rtf", (".rtf",)),
    Format("Word", "office.docx", (".docx",)),
    Format("calendar", "mail.calendar_file", (".ics",)),
    Format("mail", "mail.mail_messages", (".eml", ".mbox")),
    Format("notebook", "code.notebook", (".ipynb",)),
    Format("reStructuredText", "markup.restructured", (".rst", ".rest"), True),
    Format("source code", "code.source_code", tuple(_CODE.split()), True),
    Format("subtitles", "markup.subtitles", (".srt", ".vtt"), True),
    Format("table", "office.document_tables", (".csv", ".tsv"), True),
)
_BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}

SUFFIXES = frozenset(_BY_SUFFIX)


def format_of(path: str) -> Format | None:
    """The format of a file of this name; None where it is read as text."""
    return _BY_SUFFIX.get(os.path.splitext(path)[1].lower())


def module_of(path: str) -> str:
    """Full name of the module that reads a file of this name; "" where it is read as text."""
    known = format_of(path)
    return f"{__package__}.{known.module}" if known else ""
