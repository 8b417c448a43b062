"""The panel with the numbers of a vault: folders, nodes by type, stages of the language model, skipped files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from noderag_local.domain.holdings import Stats
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.interfaces.tui.shell.places import from_home
from noderag_local.system.printing.amounts import counted, size
from noderag_local.vault.browsing.library import Library

if TYPE_CHECKING:
    from noderag_local.storage.graph.work_items import ItemCounts


class Holdings(VerticalScroll):
    """Shows the numbers beside the documents, or over them if the screen is narrow."""

    DEFAULT_CSS = """
    Holdings {
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

    def show(self, library: Library, stats: Stats, stages: Iterable[tuple[str, ItemCounts]]) -> None:
        """Shows the numbers."""
        told = (_folders(library), _vault(stats), _nodes(stats), _stages(stages), _left_out(library))
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


def _vault(stats: Stats) -> Content:
    figures = (
        ("sentences", f"{stats.sentences:,}"),
        ("tokens", f"{stats.tokens:,}"),
        ("on disk", size(stats.size_bytes)),
    )
    return _part("Vault", (_figure(name, figure) for name, figure in figures))


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
    return _part("Left out", (_figure(reason, f"{number:,}") for reason, number in library.left_out))


def _figure(name: str, figure: str) -> Content:
    return Content(f"{figure:>9}  ") + on_one_line(name, "$text-muted")
