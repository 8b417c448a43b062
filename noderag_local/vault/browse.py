"""Looking around in a vault: its documents, entities, themes and dates, as pages to walk between."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

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
    """`Vault.atlas`. Every method raises VaultMissing where nothing was indexed yet."""

    def __init__(self, read: Callable[[], Reader]) -> None:
        """Reads by what gives the vault's reader, opened anew where the vault has changed."""
        self._read = read

    def library(self) -> Library:
        """The folders and documents, each with its state."""
        from noderag_local.vault.browsing.library import library

        return library(self._read().store)

    def document(self, node: int) -> DocumentPage:
        """A document with its text and all that can be walked to from it.

        Raises:
            NotFound: there is no such document any more.
        """
        from noderag_local.vault.browsing.document_page import document_page

        return document_page(self._read().store, node)

    def count_in(self, scope: Scope) -> int:
        """Documents in a scope.

        Raises:
            NotFound, SettingsError: as `Vault.search`.
        """
        from noderag_local.retrieval.scope import documents_within

        return int(documents_within(self._read().store, scope)[1].sum())

    def scope_choices(self) -> ScopeChoices:
        """The folders and tags that a scope may name."""
        from noderag_local.retrieval.scope import scope_choices

        return scope_choices(self._read().store)

    def suggestions(self) -> tuple[str, ...]:
        """Three questions that the notes themselves suggest."""
        from noderag_local.vault.browsing.suggestions import suggested_questions

        return suggested_questions(self._read().store)

    def entities(self) -> EntityCatalogue:
        """Every entity, to be searched as one types; the same object while the vault does not change."""
        return self._read().entities

    def entity(self, node: int) -> EntityPage:
        """All there is about an entity.

        Raises:
            NotFound: there is no such entity any more.
        """
        from noderag_local.vault.browsing.entity_page import entity_page

        return entity_page(self._read().store, node)

    def themes(self) -> tuple[ListedTheme, ...]:
        """Communities, largest first; none before the language model has found them. Kept as `entities` is."""
        return self._read().themes

    def theme(self, community: int) -> ThemePage:
        """What a theme says, of whom, and where.

        Raises:
            NotFound: there is no such community any more.
        """
        from noderag_local.vault.browsing.themes import theme_page

        reader = self._read()
        return theme_page(reader.store, reader.entities, community)

    def timeline(self) -> Timeline:
        """Dated sentences in the order of their dates. Kept as `entities` is."""
        return self._read().timeline

    def moments(self, timeline: Timeline, start: int, stop: int) -> dict[int, Moment]:
        """Row -> its text, of rows start … stop − 1 of a timeline; those whose sentences are gone are left out."""
        from noderag_local.vault.browsing.timeline import moments

        return moments(self._read().store, timeline, start, stop)

    def trace(self, retrieval: Retrieval, cited: Collection[int] = ()) -> Trace:
        """The way from a question through the graph to what was found for it.

        Args:
            cited: numbers of the sources that the answer cites; they come first.
        """
        from noderag_local.vault.browsing.trace import trace

        return trace(self._read().store, retrieval, cited)

    def sources_at(self, path: str, line: int, place: str = "") -> tuple[Source, ...]:
        """The sentences that a line of a file holds; where it has no lines, and `line` is 0, those at a place."""
        from noderag_local.vault.browsing.show import sources_at

        return sources_at(self._read().store, path, line, place)

    def text_around(self, source: Source) -> Surroundings:
        """A source of a file whose text was read out of another format, in that text.

        Raises:
            DocumentError: the vault does not have it as it was.
        """
        from noderag_local.ingest.chunks.surroundings import stored_surroundings

        return stored_surroundings(self._read().store, source)
