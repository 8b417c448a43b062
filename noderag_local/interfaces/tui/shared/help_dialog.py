"""Shows the manual, opened by F1 at the page for the screen, with a search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Markdown, OptionList
from textual.widgets.option_list import Option

from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.option_lists import UnfocusedList
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.manual.lookup import search
from noderag_local.manual.pages import ManualSection, linked, page, pages

EVERYWHERE = "interface.md#everywhere"
PLACES: dict[str, tuple[str, ...]] = {
    "welcome": ("interface.md#welcome", "first-hour.md"),
    "chat": ("interface.md#chat", EVERYWHERE),
    "library": ("interface.md#library", EVERYWHERE, "formats.md"),
    "explore": ("interface.md#explore", EVERYWHERE, "glossary.md"),
    "models": ("interface.md#models", "models.md"),
    "settings": ("interface.md#settings", "settings.md"),
    "search": ("interface.md#search", EVERYWHERE),
    "today": ("interface.md#today", EVERYWHERE),
}
"""Sections of the manual to show for each mode of the interface, as links; those about the screen's keys come first."""
PAGE_ROWS = 10
"""Number of rows that page up and page down move in a list."""


class HelpDialog(Dialog[None]):
    """Shows a text of the manual or the results of a search; the search field always has the focus."""

    DEFAULT_CSS = """
    HelpDialog {
        DialogBox {
            width: 104;
            max-width: 100%;
            height: 100%;
            padding: 0 1;
            border: round $border;
            border-title-color: $text;
        }
        Input, Input:focus { height: 1; border: none; padding: 0; margin: 0 1; }
        VerticalScroll { height: 1fr; margin-top: 1; }
        UnfocusedList { height: 1fr; margin-top: 1; display: none; }
        &.-searching VerticalScroll { display: none; }
        &.-searching UnfocusedList { display: block; }
        Markdown { padding: 0 1; background: $surface; link-color: $text-accent; }
        MarkdownHeader { margin: 1 0 0 0; content-align: left middle; background: transparent; }
        /* Without lines between rows, twice as much of a table is seen at once. */
        MarkdownTableContent { keyline: none; grid-gutter: 0 2; margin-bottom: 1; }
    }
    """
    # Letters go into the search; while a text is shown, the arrow keys scroll it.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", priority=True),
        Binding("ctrl+b", "back", "Page before", priority=True),
        Binding("ctrl+l", "list_pages", "All pages", priority=True),
        Binding("escape", "leave", "Close", priority=True),
        Binding("f1", "dismiss(None)", show=False),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("pagedown", "turn(1)", show=False, priority=True),
        Binding("pageup", "turn(-1)", show=False, priority=True),
    ]

    def __init__(self, mode: str) -> None:
        """Creates the dialog.

        Args:
            mode: mode of the interface, which decides what is shown first.
        """
        super().__init__()
        self._way = [tuple(_sections(PLACES[mode]))]
        """Texts that were read, each a tuple of sections; the last one is shown."""
        self._listed: list[ManualSection] = []

    def compose(self) -> ComposeResult:
        """Lays out the search field, the text or the list, and the keys."""
        with DialogBox():
            yield Input(placeholder="Search the manual")
            with VerticalScroll(can_focus=False):
                yield Markdown(open_links=False)
            yield UnfocusedList()
            yield KeyLine()

    async def on_mount(self) -> None:
        """Shows the first text; the user can type a search at once."""
        self.query_one(Input).focus()
        await self._show()

    @property
    def is_searching(self) -> bool:
        """Whether the list is shown instead of a text."""
        return self.has_class("-searching")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides the keys that have no effect now."""
        if action == "open":
            return self.is_searching
        if action == "back":
            return not self.is_searching and len(self._way) > 1
        return True

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if event.value.strip():
            hits = search(event.value)
            self._list([hit.section for hit in hits], [hit.line for hit in hits])
        else:
            self._stop_searching()

    @on(OptionList.OptionSelected)
    async def _clicked(self, event: OptionList.OptionSelected) -> None:
        await self._open(self._listed[event.option_index])

    @on(Markdown.LinkClicked)
    async def _follow(self, event: Markdown.LinkClicked) -> None:
        section = linked(event.href, self._way[-1][-1].page)
        if section is not None:
            await self._open(section)

    async def action_open(self) -> None:
        """Opens the entry under the cursor of the list."""
        row = self.query_one(UnfocusedList).highlighted
        if row is not None:
            await self._open(self._listed[row])

    async def action_back(self) -> None:
        """Shows the previous text."""
        self._way.pop()
        await self._show()

    def action_list_pages(self) -> None:
        """Lists all pages."""
        with self.prevent(Input.Changed):
            self.query_one(Input).clear()
        self._list([section for one in pages() if (section := linked(f"{one.name}.md"))], [p.summary for p in pages()])

    def action_leave(self) -> None:
        """Returns from a list to the text, or closes."""
        if self.is_searching:
            self._stop_searching()
        else:
            self.dismiss(None)

    def action_move(self, rows: int) -> None:
        """Moves the cursor of the list, or scrolls the text."""
        if self.is_searching:
            self.query_one(UnfocusedList).move_highlight(rows)
        else:
            self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def action_turn(self, pages: int) -> None:
        """Moves one page in the list or the text."""
        if self.is_searching:
            self.query_one(UnfocusedList).move_highlight(pages * PAGE_ROWS)
        else:
            text = self.query_one(VerticalScroll)
            text.scroll_relative(y=pages * max(1, text.size.height - 1), animate=False)

    async def _open(self, section: ManualSection) -> None:
        self._way.append((section,))
        self._stop_searching()
        await self._show()

    async def _show(self) -> None:
        shown = self._way[-1]
        self.query_one(DialogBox).border_title = f"Manual · {page(shown[0].page).title}"
        await self.query_one(Markdown).update("\n".join(section.text for section in shown))
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self.refresh_bindings()

    def _list(self, found: list[ManualSection], lines: list[str]) -> None:
        self._listed = found
        options = self.query_one(UnfocusedList)
        options.clear_options()
        for section, line in zip(found, lines, strict=True):
            options.add_option(Option(_described(section, line)))
        if not found:
            options.add_option(
                Option(Content("The manual has nothing about this.").stylize("$text-muted"), disabled=True)
            )
        options.highlighted = 0 if found else None
        self.add_class("-searching")
        self.refresh_bindings()

    def _stop_searching(self) -> None:
        with self.prevent(Input.Changed):
            self.query_one(Input).clear()
        self.remove_class("-searching")
        self.refresh_bindings()


def _sections(links: tuple[str, ...]) -> Iterator[ManualSection]:
    for link in links:
        section = linked(link)
        assert section is not None, link
        yield section


def _described(section: ManualSection, line: str) -> Content:
    """Returns the place of a section and what it says, on one line."""
    title = page(section.page).title
    where = title if title == section.title else f"{title} › {section.title}"
    return Content.assemble((where, "bold"), "  ", (line, "$text-muted"))
