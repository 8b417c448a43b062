"""Looking around in a vault: its documents, entities, themes and dates, as pages to walk between."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.system.paths import lies_in

if TYPE_CHECKING:
    from noderag_local.domain.passages import Retrieval, Scope, Source
    from noderag_local.ingest.chunks.surroundings import Surroundings
    from noderag_local.retrieval.scope import ScopeChoices
    from noderag_local.vault.browsing.catalogue import EntityCatalogue
    from noderag_local.vault.browsing.document_page import DocumentPage
    from noderag_local.vault.browsing.entity_page import EntityPage
    from noderag_local.vault.browsing.library import Library
    from noderag_local.vault.browsing.themes import ListedTheme, ThemePage
    from noderag_local.vault.browsing.timeline import Moment, Timeline
    from noderag_local.vault.browsing.trace import Trace
    from noderag_local.vault.reader import Reader


class VaultAtlas:
    """Browsing a vault, as `Vault.atlas` gives it. Every method raises VaultMissing when nothing was indexed yet."""

    def __init__(self, read: Callable[[], Reader]) -> None:
        """Notes `read`, which gives the vault's reader, opened anew when the vault has changed."""
        self._read = read

    def library(self) -> Library:
        """Returns the folders and documents, each with its state."""
        from noderag_local.vault.browsing.library import library

        return library(self._read().store)

    def outdated_files(self, paths: Sequence[Path] = ()) -> int:
        """Counts the indexed files that an older version of their reader has read; the next `Vault.index` reads them again.

        Args:
            paths: files and folders to count in; none: all.
        """
        # The readers of all formats come with it.
        from noderag_local.ingest.reading_version import is_outdated
        from noderag_local.storage.documents.file_rows import FileRows

        roots = [os.path.abspath(path) for path in paths]
        known = FileRows(self._read().store).known().values()
        within = (file for file in known if not roots or any(lies_in(file.path, root) for root in roots))
        return sum(map(is_outdated, within))

    def document(self, node: int) -> DocumentPage:
        """Returns a document with its text and links to everything next to it.

        Raises:
            NotFound: there is no such document any more.
        """
        from noderag_local.vault.browsing.document_page import document_page

        return document_page(self._read().store, node)

    def count_in(self, scope: Scope) -> int:
        """Counts the documents in a scope.

        Raises:
            NotFound, SettingsError: as `Vault.search`.
        """
        from noderag_local.retrieval.scope import documents_within

        return int(documents_within(self._read().store, scope)[1].sum())

    def scope_choices(self) -> ScopeChoices:
        """Returns the folders and tags that a scope may name."""
        from noderag_local.retrieval.scope import scope_choices

        return scope_choices(self._read().store)

    def suggestions(self) -> tuple[str, ...]:
        """Returns three questions that the notes themselves suggest."""
        from noderag_local.vault.browsing.suggestions import suggested_questions

        return suggested_questions(self._read().store)

    def entities(self) -> EntityCatalogue:
        """Returns every entity, for a search as you type; the same object until the vault changes."""
        return self._read().entities

    def entity(self, node: int) -> EntityPage:
        """Returns all that the vault knows about an entity.

        Raises:
            NotFound: there is no such entity any more.
        """
        from noderag_local.vault.browsing.entity_page import entity_page

        return entity_page(self._read().store, node)

    def themes(self) -> tuple[ListedTheme, ...]:
        """Returns communities, largest first; none before enriching has found them. Kept until the vault changes."""
        return self._read().themes

    def theme(self, community: int) -> ThemePage:
        """Returns what a theme says, about whom, and in which documents.

        Raises:
            NotFound: there is no such community any more.
        """
        from noderag_local.vault.browsing.themes import theme_page

        reader = self._read()
        return theme_page(reader.store, reader.entities, community)

    def timeline(self) -> Timeline:
        """Returns dated sentences in the order of their dates. Kept until the vault changes."""
        return self._read().timeline

    def moments(self, timeline: Timeline, start: int, stop: int) -> dict[int, Moment]:
        """Maps rows start … stop − 1 of a timeline to their texts; rows whose sentences are gone are left out."""
        from noderag_local.vault.browsing.timeline import moments

        return moments(self._read().store, timeline, start, stop)

    def trace(self, retrieval: Retrieval, cited: Collection[int] = ()) -> Trace:
        """Returns the path from a question through the graph to what was found for it.

        Args:
            retrieval: what was found for the question.
            cited: numbers of the sources that the answer cites; they come first.
        """
        from noderag_local.vault.browsing.trace import trace

        return trace(self._read().store, retrieval, cited)

    def sources_at(self, path: str, line: int, place: str = "") -> tuple[Source, ...]:
        """Returns the sentences on a line of a file; for a file without lines `line` is 0, and `place` counts."""
        from noderag_local.vault.browsing.show import sources_at

        return sources_at(self._read().store, path, line, place)

    def text_around(self, source: Source) -> Surroundings:
        """Returns a source within the text that was read out of its file, for formats other than plain text.

        Raises:
            DocumentError: the vault does not have it as it was.
        """
        from noderag_local.ingest.chunks.surroundings import stored_surroundings

        return stored_surroundings(self._read().store, source)
