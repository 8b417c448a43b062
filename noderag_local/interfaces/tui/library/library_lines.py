"""Makes the lines that the library shows about a vault."""

from __future__ import annotations

from textual.content import Content

from noderag_local.domain.holdings import Stats
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.interfaces.tui.shell.places import from_home
from noderag_local.system.printing.amounts import counted, size
from noderag_local.vault.browsing.library import Library, LibraryDocument


def library_head(library: Library, stats: Stats) -> Content:
    """Returns the numbers of folders and documents, and the sizes of text and vault."""
    figures = (
        counted(len(library.folders), "folders"),
        counted(len(library.documents), "documents"),
        f"{size(sum(folder.size_bytes for folder in library.folders))} of text",
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
    """Returns where a document lies, and its problem if it has one."""
    if document is None:
        return Content("")
    record = f" · record {document.record + 1:,} of {document.of_records:,}" if document.of_records > 1 else ""
    chunks = f" · {counted(document.chunks, 'chunks')}" if document.chunks else ""
    place = on_one_line(f"{from_home(document.path)}{record}{chunks}", "$text-muted")
    return place + Content("\n") + on_one_line(document.reason, "$text-error") if document.reason else place
