"""Gives pages about the documents, entities, themes and dates of a vault, with links between them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.system.paths import lies_in

if TYPE_CHECKING:
    from noderag_local.domain.passages import Retrieval, Scope, Source
    from noderag_local.retrieval.scope import ScopeChoices
    from noderag_local.vault.browsing.catalogue import EntityCatalogue
    from noderag_local.vault.browsing.entity_page import EntityPage
    from noderag_local.vault.browsing.instant_search import InstantSearch
    from noderag_local.vault.browsing.library import Library
    from noderag_local.vault.browsing.note_page import NotePage
    from noderag_local.vault.browsing.themes import ListedTheme, ThemePage
    from noderag_local.vault.browsing.timeline import Moment, Timeline
    from noderag_local.vault.browsing.trace import Trace
    from noderag_local.vault.reader import Reader
    from noderag_local.vault.scoped_notes import ScopedNotes


class VaultAtlas:
    """Pages and lists for browsing a vault; see `Vault.atlas`. Every method raises VaultMissing if nothing was indexed yet."""

    def __init__(self, read: Callable[[], Reader]) -> None:
        """Takes a function that returns the vault's reader and reopens it after a change of the vault."""
        self._read = read

    def library(self) -> Library:
        """Returns the folders and documents, each with its state."""
        from noderag_local.vault.browsing.library import library

        return library(self._read().store)

    def outdated_files(self, paths: Sequence[Path] = ()) -> int:
        """Counts the files that were read by an older version of their reader; the next `Vault.index` reads them again.

        Args:
            paths: files and folders to count in; empty means the whole vault.
        """
        # Imported late, since it imports the readers of all formats.
        from noderag_local.ingest.reading_version import is_outdated
        from noderag_local.storage.documents.file_rows import FileRows

        roots = [os.path.abspath(path) for path in paths]
        known = FileRows(self._read().store).known().values()
        within = (file for file in known if not roots or any(lies_in(file.path, root) for root in roots))
        return sum(map(is_outdated, within))

    def note(self, node: int) -> NotePage:
        """Returns a document with its text, what links to it or names it, and the entities that it names.

        Raises:
            NotFound: there is no such document any more.
        """
        from noderag_local.vault.browsing.note_page import note_page

        return note_page(self._read().store, node)

    def note_at(self, path: str, record: int) -> int:
        """Returns the node of the document of a file with a 0-based number; 0 if there is none."""
        from noderag_local.storage.browsing.atlas_rows import AtlasRows

        return AtlasRows(self._read().store).document_at(path, record)

    def linked_note(self, target: str, path: str) -> int:
        """Returns the node of the document that a link leads to; 0 for none.

        Args:
            target: what the link names: a path or a name.
            path: path of the file that has the link.
        """
        from noderag_local.vault.browsing.note_page import linked_note

        return linked_note(self._read().store, target, path)

    def outline(self, most_tokens: int) -> tuple[str, ...]:
        """Returns how the most central passages begin, one line a document, within a number of estimated tokens.

        Raises:
            LayerMissing: nothing was embedded yet.
        """
        from noderag_local.vault.browsing.outline import outline

        return outline(self._read().store, most_tokens)

    def within(self, scope: Scope) -> ScopedNotes:
        """Returns the notes of a scope, to browse them without anything outside it."""
        from noderag_local.vault.scoped_notes import ScopedNotes

        return ScopedNotes(self._read, scope)

    def count_in(self, scope: Scope) -> int:
        """Counts the documents in a scope.

        Raises:
            NotFound, SettingsError: as for `Vault.search`.
        """
        from noderag_local.retrieval.scope import documents_within

        return int(documents_within(self._read().store, scope)[1].sum())

    def settled(self, scope: Scope) -> Scope:
        """Returns a scope whose folder keeps its meaning when documents come and go; see `scope.settled`.

        Raises:
            NotFound: no document lies in its folder.
            SettingsError: it means several folders.
        """
        from noderag_local.retrieval.scope import settled

        return settled(self._read().store, scope)

    def scope_choices(self) -> ScopeChoices:
        """Returns the folders and tags that a scope may name."""
        from noderag_local.retrieval.scope import scope_choices

        return scope_choices(self._read().store)

    def suggestions(self) -> tuple[str, ...]:
        """Returns three suggested questions, made from prominent entities, titles and headings."""
        from noderag_local.vault.browsing.suggestions import suggested_questions

        return suggested_questions(self._read().store)

    def entities(self) -> EntityCatalogue:
        """Returns every entity, for search as you type. The same object is returned until the vault changes."""
        return self._read().entities

    def instant_search(self) -> InstantSearch:
        """Returns the search for documents, entities and passages as a person types. The same object until the vault changes."""
        return self._read().instant_search

    def entity(self, node: int) -> EntityPage:
        """Returns everything that the vault has about an entity.

        Raises:
            NotFound: there is no such entity any more.
        """
        from noderag_local.vault.browsing.entity_page import entity_page

        reader = self._read()
        return entity_page(reader.store, node, reader.entities.counted_for(node))

    def themes(self) -> tuple[ListedTheme, ...]:
        """Returns the communities, largest first; empty before enriching has found them. Cached until the vault changes."""
        return self._read().themes

    def theme(self, community: int) -> ThemePage:
        """Returns the summary, entities and documents of a theme.

        Raises:
            NotFound: there is no such community any more.
        """
        from noderag_local.vault.browsing.themes import theme_page

        reader = self._read()
        return theme_page(reader.store, reader.entities, community)

    def timeline(self) -> Timeline:
        """Returns the dated sentences in the order of their dates. Cached until the vault changes."""
        return self._read().timeline

    def moments(self, timeline: Timeline, start: int, stop: int) -> dict[int, Moment]:
        """Returns row -> text for the rows from `start` to `stop` − 1 of a timeline, without removed sentences."""
        from noderag_local.vault.browsing.timeline import moments

        return moments(self._read().store, timeline, start, stop)

    def trace(self, retrieval: Retrieval, cited: Collection[int] = ()) -> Trace:
        """Returns the paths through the graph from a question to the sources found for it.

        Args:
            retrieval: result of the search for the question.
            cited: numbers of the sources that the answer cites; these come first.
        """
        from noderag_local.vault.browsing.trace import trace

        return trace(self._read().store, retrieval, cited)

    def sources_at(self, path: str, line: int, place: str = "") -> tuple[Source, ...]:
        """Returns the sentences on a line of a file or, if the file has no lines and `line` is 0, at a place such as a page."""
        from noderag_local.vault.browsing.show import sources_at

        return sources_at(self._read().store, path, line, place)
