"""Reads a page from the vault, and makes what the reader shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.reader.entity_entries import entity_entries
from noderag_local.interfaces.tui.reader.navigation import NavigationStep
from noderag_local.interfaces.tui.reader.node_page import Entry
from noderag_local.interfaces.tui.reader.theme_entries import theme_entries
from noderag_local.interfaces.tui.shared.marked_words import marked
from noderag_local.vault.browsing.note_page import NotePage, passage_alone

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault


class DocumentPlace(NamedTuple):
    """Path and record number of a document."""

    path: str
    record: int
    """Number of the document in its file, from 0."""


class FoundPage(NamedTuple):
    """A page as it was read: of a document, or lines about an entity or theme."""

    step: NavigationStep
    """The page, by the node that it has now."""
    note: NotePage | None
    entries: tuple[Entry, ...]


def read_page(vault: Vault, step: NavigationStep, place: DocumentPlace | None, words: Sequence[str]) -> FoundPage:
    """Reads a page; one whose node has gone is looked for by its place or name.

    Args:
        vault: open vault.
        step: page to read.
        place: path and record number of the document when its page was read before; None if unknown.
        words: words to mark in the lines about an entity.

    Raises:
        NotFound: it is no longer in the vault.
    """
    if step.type is NodeType.DOCUMENT:
        return _read_document(vault, step, place)
    try:
        found, entries = step, _entries(vault, step)
    except NotFound:
        found = _found_again(vault, step)
        entries = _entries(vault, found)
    if words:
        entries = tuple(replace(entry, text=marked(entry.text, words)) for entry in entries)
    return FoundPage(found, None, entries)


def _read_document(vault: Vault, step: NavigationStep, place: DocumentPlace | None) -> FoundPage:
    passage = step.passage
    if passage is not None:
        node = vault.atlas.note_at(passage.path, passage.record)
        if not node:
            return FoundPage(step, passage_alone(passage), ())
    else:
        node = step.node
    try:
        note = vault.atlas.note(node)
    except NotFound:
        node = vault.atlas.note_at(*place) if place is not None else 0
        if not node:
            raise
        note = vault.atlas.note(node)
    return FoundPage(replace(step, node=node, name=note.name), note, ())


def _entries(vault: Vault, step: NavigationStep) -> tuple[Entry, ...]:
    if step.type is NodeType.COMMUNITY:
        return tuple(theme_entries(vault.atlas.theme(step.node)))
    return tuple(entity_entries(vault.atlas.entity(step.node)))


def _found_again(vault: Vault, step: NavigationStep) -> NavigationStep:
    catalogue = vault.atlas.entities()
    if step.type is NodeType.ENTITY and step.name in catalogue.names:
        return replace(step, node=catalogue.entity(catalogue.names.index(step.name)).node)
    raise NotFound(f"{step.name} is not in the vault any more. Backspace goes back.")


def link_step(vault: Vault, target: str, path: str, name: str) -> NavigationStep:
    """Returns the page that a link in a note leads to.

    Args:
        vault: open vault.
        target: what the note names, with a section behind "#" or without.
        path: path of the file that has the link.
        name: name of the note that has the link.

    Raises:
        NotFound: no note is called that.
    """
    called, _, section = target.partition("#")
    node = vault.atlas.linked_note(called, path)
    if not node:
        raise NotFound(f"No note is called {called!r}. The link in {name} waits for one.")
    return NavigationStep(NodeType.DOCUMENT, node, called, section=section.rpartition("#")[2])


def passage_of(step: NavigationStep, note: NotePage) -> tuple[int, int, Source] | None:
    """Returns the first and last line of the passage that a page is opened at, with the passage; None if the note has none."""
    lines = note.text.lines_of(step.passage) if step.passage is not None else None
    return (*lines, step.passage) if lines is not None and step.passage is not None else None
