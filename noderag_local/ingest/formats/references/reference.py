"""Defines a work in a reference library and writes it as a document.

The document first says who wrote what kind of work, and when and where it was published. Then come its details, its abstract and
the user's notes. It links to the file of the work by the file's name, so that the graph connects the two if both are indexed. The
citation key is an alias, so that notes can link to the document by it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text

MAX_CREATORS = 50
"""Maximum number of people of a role that are named; some physics papers have thousands of authors."""
SECTION_LEVEL = 2
"""Level of the headings of a document's parts; the title has level 1."""

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_YEAR = re.compile(r"\d{4}")
_ROLES = {"author": "by", "editor": "edited by", "translator": "translated by", "director": "directed by"}


@dataclass(frozen=True, slots=True)
class Creator:
    """A person or organisation that made a work, or part of it."""

    name: str
    """First name first: "Mara Lind"."""
    last_name: str
    role: str = "author"
    """Role such as "author", "editor", "translator", or another that the library names, such as "series editor"."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A work; unknown values are "" or ()."""

    title: str
    kind: str = ""
    """Kind of work: "journal article", "book", "conference paper"."""
    creators: tuple[Creator, ...] = ()
    date: str = ""
    """Day, month or year: "2017-06-12", "2017-06", "2017"."""
    published_in: str = ""
    """Title of the journal, of the proceedings, or of the book that a chapter is in."""
    details: tuple[tuple[str, str], ...] = ()
    """(name, value) of each detail: ("Volume", "30"), ("DOI", "10.1000/182")."""
    filing: tuple[tuple[str, str], ...] = ()
    """(name, value) of how the user has filed it: ("Collections", "Thesis > Frost")."""
    abstract: str = ""
    tags: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    """Citation keys: "lind2017"."""
    files: tuple[str, ...] = ()
    """Names of the files of the work, without folders."""
    sections: tuple[tuple[str, str], ...] = ()
    """(heading, text) of each note of the user, with empty lines between paragraphs."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Names by which notes may link to the document: the citation keys, with and without a leading "@"."""
        return tuple(name for key in self.keys for name in (key, f"@{key}"))

    @property
    def short_form(self) -> str:
        """The work as a text would cite it: "Lind & Okafor 2017"; its title if it has no people."""
        makers = self._makers
        if not makers:
            return folded_text(self.title)
        names = " & ".join(makers) if len(makers) < 3 else f"{makers[0]} et al."
        year = _YEAR.search(self.date)
        return f"{names} {year[0]}" if year else names

    @property
    def _makers(self) -> list[str]:
        """Last names of the authors, or of the other people if there is no author."""
        authors = [creator.last_name for creator in self.creators if creator.role == "author"]
        return authors or [creator.last_name for creator in self.creators]


def write_reference(reference: Reference, writer: BlockWriter, where: Whereabouts) -> None:
    """Writes a work, all at one place; the caller may append parts.

    Args:
        reference: the work.
        writer: takes the blocks.
        where: place of the work in the file.
    """
    writer.title = folded_text(reference.title)
    writer.add(BlockKind.PARAGRAPH, _statement(reference), where, tags=reference.tags)
    for pairs in (reference.details, reference.filing):
        named = "; ".join(f"{name}: {value}" for name, value in pairs if value)
        writer.add(BlockKind.PARAGRAPH, f"{named}." if named else "", where)
    for name in reference.files:
        stem = file_stem(name)
        writer.add(BlockKind.PARAGRAPH, f"File: {name}.", where, links=[WikiLink(stem, stem)])
    for heading, text in (("Abstract", reference.abstract), *reference.sections):
        write_section(heading, text, writer, where)


def write_section(heading: str, text: str, writer: BlockWriter, where: Whereabouts) -> None:
    """Writes a part of a document under its heading; writes nothing if the text is blank.

    Args:
        heading: heading of the part.
        text: paragraphs, with empty lines between them.
        writer: takes the blocks.
        where: place of the blocks in the file.
    """
    if text.strip():
        writer.heading(SECTION_LEVEL, heading, where)
        for paragraph in _PARAGRAPH_END.split(text):
            writer.add(BlockKind.PARAGRAPH, paragraph, where)


def file_stem(name: str) -> str:
    """Returns the name of a file without its ending, by which links name its document."""
    folded = folded_text(name)
    return folded.rpartition(".")[0] or folded


def file_name(path: str) -> str:
    """Returns the last part of a path with slashes or backslashes."""
    return folded_text(path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])


def creator(name: str, role: str = "author") -> Creator:
    """Returns a person from "Lind, Mara", "Lind, Jr., Mara" or "Mara Lind"; an organisation's name stays unchanged."""
    parts = [folded_text(part) for part in name.split(",")]
    if len(parts) == 2 and all(parts):
        return Creator(f"{parts[1]} {parts[0]}", parts[0], role)
    if len(parts) == 3 and all(parts):
        return Creator(f"{parts[2]} {parts[0]} {parts[1]}", parts[0], role)
    whole = folded_text(name)
    return Creator(whole, whole.rpartition(" ")[2], role)


def _statement(reference: Reference) -> str:
    """Returns the sentence that says what the work is: “Frost”: book by Mara Lind, 2017."""
    people = defaultdict[str, list[str]](list)
    for one in reference.creators:
        people[one.role].append(one.name)
    made = [f"{_ROLES.get(role, f'{role}:')} {_listed(names)}" for role, names in people.items()]
    kind = reference.kind or "work"
    published = [f"in {reference.published_in}"] if reference.published_in else []
    dated = [reference.date] if reference.date else []
    said = ", ".join((" ".join((kind, *made[:1])), *made[1:], *published, *dated))
    return folded_text(f"“{reference.title}”: {said}." if reference.title else f"{said[:1].upper()}{said[1:]}.")


def _listed(names: Sequence[str]) -> str:
    """Returns names as a list in a sentence: "Mara Lind, Jonas Brandt and Amara Okafor"."""
    if len(names) > MAX_CREATORS:
        return f"{', '.join(names[:MAX_CREATORS])} and {len(names) - MAX_CREATORS} others"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
