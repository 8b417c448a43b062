"""Exports a vault as files, and imports one from them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import SourceError

if TYPE_CHECKING:
    from noderag_local.domain.progress import Progress
    from noderag_local.vault.export.archive import Carried, Passphrase
    from noderag_local.vault.export.graph_file import WrittenGraph
    from noderag_local.vault.export.notes import WrittenNotes
    from noderag_local.vault.reader import Reader


class VaultExchange:
    """Export and import of one vault; see `Vault.exchange`. Exporting raises VaultMissing if nothing was indexed yet."""

    def __init__(self, folder: Path, read: Callable[[], Reader]) -> None:
        """Takes the vault's folder and a function that returns its reader."""
        self._folder, self._read = folder, read

    def write_archive(
        self, path: Path, *, conversations: bool = False, passphrase: Passphrase | None = None, force: bool = False
    ) -> Carried:
        """Writes the whole vault as JSON Lines; arguments and errors as for `vault.export.archive.write_archive`."""
        from noderag_local.vault.export.archive import write_archive

        return write_archive(
            self._read().store, self._outside(path), conversations=conversations, passphrase=passphrase, force=force
        )

    def write_notes(
        self, folder: Path, *, force: bool = False, progress: Callable[[Progress], None] = lambda _: None
    ) -> WrittenNotes:
        """Writes entities and themes as Markdown notes; arguments and errors as for `vault.export.notes.write_notes`."""
        from noderag_local.vault.export.notes import write_notes

        reader = self._read()
        with reader.store.steady():
            return write_notes(
                reader.store, reader.entities, reader.themes, self._outside(folder), force=force, progress=progress
            )

    def write_graph(self, path: Path, *, force: bool = False) -> WrittenGraph:
        """Writes the graph as GraphML; arguments and errors as for `vault.export.graph_file.write_graph`."""
        from noderag_local.vault.export.graph_file import write_graph

        return write_graph(self._read().store, self._outside(path), force=force)

    def read_archive(self, path: Path, passphrase: Passphrase) -> Carried:
        """Fills this vault, which must be empty, from an exported file; errors as for `vault.export.archive.read_archive`."""
        from noderag_local.vault.export.archive import read_archive

        return read_archive(self._folder, path, passphrase)

    def unchosen_roots(self) -> list[str]:
        """Returns the imported folders and files that are not followed, because the user has not named them on this machine."""
        from noderag_local.storage.documents.noted_roots import BroughtRoots

        return sorted(BroughtRoots(self._read().store).known())

    def _outside(self, path: Path) -> Path:
        """Returns the absolute path.

        Raises:
            SourceError: the path lies in the vault's own folder.
        """
        wanted = Path(os.path.abspath(os.path.expanduser(path)))
        if wanted.resolve().is_relative_to(self._folder.resolve()):
            raise SourceError(f"{wanted} lies in the vault itself. Choose a place outside {self._folder}.")
        return wanted
