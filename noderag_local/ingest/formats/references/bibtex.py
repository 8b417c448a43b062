"""Reads BibTeX and BibLaTeX (.bib): each entry becomes a document with its lines. LaTeX commands become the characters they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import BinaryIO

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexWalker

from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.markup.latex_words import parsing_context, text_context
from noderag_local.ingest.formats.references.bibtex_entries import BibtexEntry, EntryParser
from noderag_local.ingest.formats.references.reference import (
    Creator,
    Reference,
    creator,
    file_name,
    write_reference,
)

MAX_LATEX_CHARACTERS = 20_000
"""Maximum length of a value whose LaTeX is decoded; a longer one is shown as written, since pylatexenc takes milliseconds a line."""

_KINDS = {
    "article": "journal article",
    "inproceedings": "conference paper",
    "conference": "conference paper",
    "incollection": "book chapter",
    "inbook": "book chapter",
    "mastersthesis": "master's thesis",
    "phdthesis": "doctoral thesis",
    "techreport": "report",
    "misc": "",
    "online": "web page",
    "unpublished": "manuscript",
}
_CONTAINERS = ("journal", "journaltitle", "booktitle", "maintitle", "series")
_DETAILS = {
    "volume": "Volume",
    "number": "Number",
    "pages": "Pages",
    "edition": "Edition",
    "publisher": "Publisher",
    "school": "School",
    "institution": "Institution",
    "organization": "Organisation",
    "address": "Place",
    "location": "Place",
    "howpublished": "Published",
    "isbn": "ISBN",
    "doi": "DOI",
    "eprint": "Preprint",
    "url": "Address",
}
_NOTES = {"note": "Note", "annote": "Annotation", "annotation": "Annotation", "review": "Review"}
_INHERITED = frozenset(
    "booktitle maintitle series volume year month date publisher address location editor edition organization isbn".split()
)
"""Fields that a chapter or paper inherits from the book or proceedings in its `crossref`."""
_AND = re.compile(" and ", re.IGNORECASE)
_AS_WRITTEN = frozenset({"doi", "url", "file", "eprint", "isbn"})
_OTHERS = "others"
_SEPARATORS = re.compile(r"[;,]")


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    entries = list(EntryParser(text_of(file)).entries())
    by_key = {entry.key.lower(): entry for entry in entries}
    for entry in entries:
        where = Whereabouts(first_line=entry.first_line, last_line=entry.last_line)
        reference = _reference(entry, by_key.get(entry.fields.get("crossref", "").lower()))
        notices = (f"the entry in line {entry.first_line} {entry.fault}",) if entry.fault else ()
        writer = BlockWriter()
        if reference.title or reference.creators:
            write_reference(reference, writer, where)
        yield ExtractedDocument(
            writer.title or entry.key, tuple(writer.blocks), reference.tags, reference.aliases, notices
        )


def _reference(entry: BibtexEntry, container: BibtexEntry | None) -> Reference:
    """Returns the work of an entry.

    Args:
        entry: the entry.
        container: entry of the book or proceedings in its `crossref`; None if there is none.
    """
    inherited = {name: value for name, value in container.fields.items() if name in _INHERITED} if container else {}
    given = {**inherited, **entry.fields}
    texts = {name: value.strip() if name in _AS_WRITTEN else shown(value) for name, value in given.items()}
    title = ": ".join(filter(None, (texts.get("title", ""), texts.get("subtitle", ""))))
    published_in = next((texts[name] for name in _CONTAINERS if texts.get(name)), "")
    if container and not published_in:
        published_in = shown(container.fields.get("title", ""))
    return Reference(
        title=title,
        kind=texts.get("type") or _KINDS.get(entry.kind, entry.kind),
        creators=(*_people(given.get("author", ""), "author"), *_people(given.get("editor", ""), "editor")),
        date=_date(texts),
        published_in=published_in,
        details=tuple((label, texts[name]) for name, label in _DETAILS.items() if texts.get(name)),
        abstract=texts.get("abstract", ""),
        tags=tuple(dict.fromkeys(filter(None, map(folded_text, _SEPARATORS.split(texts.get("keywords", "")))))),
        keys=(entry.key,) if entry.key else (),
        files=_files(given.get("file", "")),
        sections=tuple((label, texts[name]) for name, label in _NOTES.items() if texts.get(name)),
    )


def _people(value: str, role: str) -> tuple[Creator, ...]:
    """Returns the people in a field; " and " inside braces is part of an organisation's name."""
    names: list[list[str]] = []
    depth = 0
    for part in _AND.split(" ".join(value.split())):
        if depth > 0:
            names[-1].append(part)
        elif part.strip():
            names.append([part])
            depth = 0
        depth += part.count("{") - part.count("}")
    whole = (" and ".join(parts).strip() for parts in names)
    return tuple(_person(name, role) for name in whole if name.lower() != _OTHERS)


def _person(name: str, role: str) -> Creator:
    if name.startswith("{") and name.endswith("}") and "," in name:
        whole = shown(name)
        return Creator(whole, whole, role)
    return creator(shown(name), role)


def _date(texts: dict[str, str]) -> str:
    """Returns the date of BibLaTeX, or year and month as "2017-06"."""
    if texts.get("date"):
        return texts["date"]
    year, month = texts.get("year", ""), texts.get("month", "")
    if month.isdecimal() and 1 <= int(month[:3]) <= 12:
        return f"{year}-{int(month):02}" if year else ""
    return f"{month} {year}".strip()


def _files(value: str) -> tuple[str, ...]:
    """Returns the file names in a field that Zotero and JabRef write: "Full Text:files/12/Lind.pdf:application/pdf;…"."""
    names: list[str] = []
    for part in value.split(";"):
        pieces = [piece for piece in part.replace("\\:", ":").split(":") if "." in file_name(piece)]
        names += [file_name(piece) for piece in pieces[:1]]
    return tuple(dict.fromkeys(names))


def shown(value: str) -> str:
    r"""Returns a value as a person reads it: "Möller" for "M{\"o}ller"; empty lines between paragraphs are kept."""
    if "\\" in value or "$" in value:
        value = _decoded(value) if len(value) <= MAX_LATEX_CHARACTERS else value
    text = value.replace("{", "").replace("}", "").replace("---", "—").replace("--", "–").replace("~", " ")
    return "\n\n".join(filter(None, map(folded_text, re.split(r"\n[ \t]*\n", text))))


def _decoded(value: str) -> str:
    try:
        nodes, _, _ = LatexWalker(value, latex_context=_parsing(), tolerant_parsing=True).get_latex_nodes()
        return str(_writer().nodelist_to_text(nodes))
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError):
        # Invalid LaTeX is shown as it is written.
        return value


@cache
def _writer() -> LatexNodes2Text:
    return LatexNodes2Text(latex_context=text_context(), math_mode="text", keep_comments=True)


_parsing = cache(parsing_context)

EXTRACTOR = Extractor(_read)
