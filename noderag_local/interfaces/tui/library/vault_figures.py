"""Shows the numbers of a vault: in lines above the documents, and in the panel beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from noderag_local.domain.holdings import Stats
from noderag_local.domain.library import DocumentState, LibraryDocument
from noderag_local.interfaces.tui.library.backup_dialog import day_of_backup
from noderag_local.interfaces.tui.library.left_out_lines import left_out_lines
from noderag_local.interfaces.tui.shared.terminal_text import from_home, on_one_line
from noderag_local.system.paths import outermost
from noderag_local.system.printing.amounts import counted, size
from noderag_local.vault.browsing.library import Library

if TYPE_CHECKING:
    from noderag_local.storage.backup.backups import Backup
    from noderag_local.storage.graph.work_items import ItemCounts


def library_head(library: Library, stats: Stats, backed_up: Backup | None) -> Content:
    """Returns the numbers of folders and documents, the sizes of text and vault, and the day of the last backup."""
    figures = (
        # An inbox in a folder is no second folder.
        counted(len(outermost(folder.path for folder in library.folders)), "folders"),
        counted(sum(one.state is not DocumentState.FAILED for one in library.documents), "documents"),
        f"{size(sum(folder.size_bytes for folder in library.folders))} of text",
        f"backup: {day_of_backup(backed_up)}",
        f"vault {size(stats.size_bytes)}",
    )
    return Content.styled("Library", "bold") + Content.styled(f"  {' · '.join(figures)}", "$text-muted")


def library_tier(library: Library) -> str:
    """Returns how far the language model has read the notes."""
    chunks, read = library.chunks, library.read_chunks
    if not chunks:
        return ""
    if not library.is_complete:
        return "Indexing was stopped before its end: r goes on from there."
    if not read:
        return (
            f"Ready to be asked. The language model has read none of {counted(chunks, 'chunks')} yet: n lets it begin."
        )
    if read < chunks:
        return f"The language model has read {read:,} of {counted(chunks, 'chunks')} ({100 * read // chunks} %): n goes on."
    return f"The language model has read all {counted(chunks, 'chunks')}."


def document_line(document: LibraryDocument | None) -> Content:
    """Returns where a document is stored, and its problem if it has one."""
    if document is None:
        return Content("")
    record = f" · record {document.record + 1:,} of {document.of_records:,}" if document.of_records > 1 else ""
    chunks = f" · {counted(document.chunks, 'chunks')}" if document.chunks else ""
    place = on_one_line(f"{from_home(document.path)}{record}{chunks}", "$text-muted")
    return place + Content("\n") + on_one_line(document.reason, "$text-error") if document.reason else place


class VaultFigures(VerticalScroll):
    """Shows the vault's numbers beside the documents, or over them on a narrow screen."""

    DEFAULT_CSS = """
    VaultFigures {
        width: 34;
        padding: 0 1;
        background: $surface;
        border-left: vkey $primary-muted;
        Static { width: 1fr; }
    }
    """

    def compose(self) -> ComposeResult:
        """Lays out the text."""
        yield Static(id="holdings-text")

    def show(
        self,
        library: Library,
        stats: Stats,
        stages: Iterable[tuple[str, ItemCounts]],
        backed_up: Backup | None,
    ) -> None:
        """Shows the numbers.

        Args:
            library: folders and documents.
            stats: counts of the vault.
            stages: (stage of the language model, its counts).
            backed_up: newest backup in any known folder; None if there is none.
        """
        told = (_folders(library), _vault(stats, backed_up), _nodes(stats), _stages(stages), _left_out(library))
        self.query_one(Static).update(Content("\n\n").join([part for part in told if part]))


def _part(title: str, lines: Iterable[Content]) -> Content:
    told = list(lines)
    return Content("\n").join([Content.styled(title, "bold $primary"), *told]) if told else Content("")


def _folders(library: Library) -> Content:
    lines = []
    for folder in library.folders:
        amount = f"{counted(folder.documents, 'documents')}, {size(folder.size_bytes)}"
        how = ", line by line" if folder.by_lines else ""
        lines += [on_one_line(from_home(folder.path)), Content.styled(f"  {amount}{how}", "$text-muted")]
    return _part("Folders", lines)


def _vault(stats: Stats, backed_up: Backup | None) -> Content:
    figures = (
        ("sentences", f"{stats.sentences:,}"),
        ("tokens", f"{stats.tokens:,}"),
        ("on disk", size(stats.size_bytes)),
        ("last backup", day_of_backup(backed_up)),
    )
    place = [on_one_line(f"  in {from_home(backed_up.folder.parent)}", "$text-muted")] if backed_up else []
    return _part("Vault", [*(_figure(name, figure) for name, figure in figures), *place])


def _nodes(stats: Stats) -> Content:
    return _part(
        "Nodes",
        (_figure(kind.name.lower().replace("_", " "), f"{number:,}") for kind, number in stats.nodes if number),
    )


def _stages(stages: Iterable[tuple[str, ItemCounts]]) -> Content:
    def line(name: str, counts: ItemCounts) -> Content:
        failed = f", {counts.failed:,} failed" if counts.failed else ""
        return _figure(name, f"{counts.done:,} done{failed}")

    return _part("Language model", (line(name, counts) for name, counts in stages))


def _left_out(library: Library) -> Content:
    return _part("Left out", left_out_lines(library.left_out, [folder.path for folder in library.folders]))


def _figure(name: str, figure: str) -> Content:
    return Content(f"{figure:>9}  ") + on_one_line(name, "$text-muted")
