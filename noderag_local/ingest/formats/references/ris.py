"""Reads RIS (.ris), the format in which libraries and journals export references: each becomes a document with its lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.references.reference import Reference, creator, file_name, write_reference

_LINE = re.compile(r"(?P<tag>[A-Z][A-Z0-9]) {1,2}- ?(?P<value>.*)")
_KINDS = {
    "JOUR": "journal article",
    "CONF": "conference paper",
    "CPAPER": "conference paper",
    "BOOK": "book",
    "CHAP": "book chapter",
    "THES": "thesis",
    "RPRT": "report",
    "ELEC": "web page",
    "NEWS": "newspaper article",
    "MGZN": "magazine article",
    "PAT": "patent",
}
_TITLES, _CONTAINERS = ("TI", "T1", "CT"), ("T2", "JO", "JF", "BT", "JA")
_AUTHORS, _EDITORS = ("AU", "A1"), ("A2", "ED")
_DATES = ("DA", "PY", "Y1")
_DETAILS = {
    "VL": "Volume",
    "IS": "Number",
    "ET": "Edition",
    "PB": "Publisher",
    "CY": "Place",
    "SN": "ISBN or ISSN",
    "DO": "DOI",
}
_Fields = dict[str, list[str]]


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    is_reference = False
    for first, last, fields in _records(text_of(file).split("\n")):
        is_reference = True
        reference, writer = _reference(fields), BlockWriter()
        if reference.title or reference.creators:
            write_reference(reference, writer, Whereabouts(first_line=first, last_line=last))
        yield ExtractedDocument(writer.title, tuple(writer.blocks), reference.tags, reference.aliases)
    if not is_reference:
        raise DocumentError('it has no line "TY  - ", which begins each reference')


def _records(lines: list[str]) -> Iterator[tuple[int, int, _Fields]]:
    """Yields (first line, last line, fields) of each reference; a line without a tag continues the line before."""
    fields: dict[str, list[list[str]]] | None = None
    first, tag = 0, ""
    for number, line in enumerate(lines, start=1):
        found = _LINE.match(line)
        if found and found["tag"] == "TY":
            if fields:
                yield first, number - 1, _joined(fields)
            fields, first = defaultdict(list), number
        if fields is None:
            continue
        if found and found["tag"] == "ER":
            yield first, number, _joined(fields)
            fields = None
        elif found:
            tag = found["tag"]
            fields[tag].append([found["value"].strip()])
        elif line.strip() and fields[tag]:
            fields[tag][-1].append(line.strip())
    if fields:
        yield first, len(lines), _joined(fields)


def _joined(fields: Mapping[str, list[list[str]]]) -> _Fields:
    """Returns each value with all its lines."""
    return {tag: ["\n".join(lines) for lines in values] for tag, values in fields.items()}


def _reference(fields: _Fields) -> Reference:
    def text(*tags: str) -> str:
        return next((value for tag in tags for value in fields.get(tag, ()) if value), "")

    pages = "–".join(filter(None, (text("SP"), text("EP"))))
    details = [(label, folded_text(text(tag))) for tag, label in _DETAILS.items()] + [
        ("Pages", pages),
        ("Address", text("UR")),
    ]
    authors = [creator(name) for tag in _AUTHORS for name in fields.get(tag, ()) if name]
    editors = [creator(name, "editor") for tag in _EDITORS for name in fields.get(tag, ()) if name]
    return Reference(
        title=text(*_TITLES),
        kind=_KINDS.get(text("TY"), ""),
        creators=(*authors, *editors),
        date="-".join(filter(None, text(*_DATES).split("/")[:3])),
        published_in=text(*_CONTAINERS),
        details=tuple(details),
        abstract=text("AB", "N2"),
        tags=tuple(dict.fromkeys(folded_text(tag) for tag in fields.get("KW", ()) if tag)),
        keys=tuple(filter(None, [folded_text(text("ID"))])),
        files=tuple(file_name(path) for path in fields.get("L1", ()) if "." in file_name(path)),
        sections=(("Note", "\n\n".join(fields.get("N1", ()))),),
    )


EXTRACTOR = Extractor(_read)
