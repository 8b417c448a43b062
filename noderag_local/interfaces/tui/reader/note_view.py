"""Shows the text of a note: only its visible rows are drawn, so that a file of 200,000 lines scrolls like a short one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events, work
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from noderag_local.interfaces.tui.reader.inline_styles import link_at
from noderag_local.interfaces.tui.reader.note_lines import NoteLines
from noderag_local.interfaces.tui.reader.passage_marks import passage_spans
from noderag_local.interfaces.tui.reader.shown_line import LineLink, ShownLine, Span
from noderag_local.interfaces.tui.shared.marked_words import marked_spans
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.reader.note_layout import NoteLayout

LONG = 3_000
"""Lines of a note that is laid out in a thread of its own."""
GUTTER = 2
"""Cells before the text, for the bar beside a passage."""
STYLES = (
    "heading",
    "code",
    "strong",
    "emphasis",
    "struck",
    "found",
    "link",
    "chosen",
    "tag",
    "muted",
    "passage",
    "word",
)


class ShownPassage(NamedTuple):
    """A passage that a note is opened at."""

    first: int
    """0-based number of its first line."""
    last: int
    text: str


class ChosenLink(NamedTuple):
    """The link that enter follows."""

    line: int
    link: LineLink


class NoteView(ScrollView, can_focus=True):
    """The rows of a note; tab goes from link to link."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"note--{style}" for style in STYLES}
    DEFAULT_CSS = """
    NoteView {
        height: 1fr;
        width: 1fr;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        & > .note--heading { color: $text-primary; text-style: bold; }
        & > .note--code { color: $text-secondary; }
        & > .note--strong { text-style: bold; }
        & > .note--emphasis { text-style: italic; }
        & > .note--struck { text-style: strike; }
        & > .note--found { text-style: bold; }
        & > .note--link { color: $link-color; text-style: underline; }
        & > .note--chosen { background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold; }
        & > .note--tag { color: $text-accent; }
        & > .note--muted { color: $text-muted; }
        & > .note--passage { text-style: bold; }
        & > .note--word { color: $text-accent; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "follow", "Follow", tooltip="Follow the link"),
        Binding("tab", "link(1)", "Link", tooltip="Next link"),
        Binding("shift+tab", "link(-1)", "Link before", show=False),
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "End", show=False),
        Binding("space", "page_down", "Page down", show=False),
    ]

    class LinkChosen(Message):
        """Posted when the cursor comes to a link, or leaves the last one."""

        def __init__(self, target: str) -> None:
            self.target = target
            """What the link names; "" for none."""
            super().__init__()

    class LinkFollowed(Message):
        """Posted when a person follows a link."""

        def __init__(self, target: str) -> None:
            self.target = target
            super().__init__()

    def __init__(self) -> None:
        super().__init__()
        self._lines: NoteLines | None = None
        self._layout: NoteLayout | None = None
        self._words: Sequence[str] = ()
        self.passage: ShownPassage | None = None
        """Passage that is marked; None if there is none."""
        self._chosen: ChosenLink | None = None
        self._has_links = False
        self._awaited: int | None = None
        """Line that comes to the top once the rows are known."""

    @property
    def top_line(self) -> int:
        """0-based number of the first line that is seen."""
        return self._layout.place_of(self.scroll_offset.y)[0] if self._layout and len(self._layout.lines) else 0

    @property
    def line_in_sight(self) -> int:
        """0-based number of the line that a person is most likely reading: of the passage if it is in sight, else the top one."""
        if self.passage is not None and self._layout is not None:
            row = self._layout.first_row(self.passage.first)
            if self.scroll_offset.y <= row < self.scroll_offset.y + max(1, self.size.height):
                return self.passage.first
        return self.top_line

    def show(
        self, lines: NoteLines, words: Sequence[str] = (), passage: ShownPassage | None = None, top: int | None = None
    ) -> None:
        """Shows a note.

        Args:
            lines: the note.
            words: words to mark.
            passage: passage to mark and to scroll to.
            top: line to scroll to instead; None for the passage or the beginning.
        """
        self._lines, self._layout, self._words, self.passage = lines, None, words, passage
        self._chosen, self._awaited = None, top if top is not None else passage.first if passage else 0
        self._is_exact = top is not None
        self._has_links = self._next_link(1) is not None
        self.refresh_bindings()
        self._lay_out()

    def show_again(self, lines: NoteLines, passage: ShownPassage | None) -> None:
        """Shows a note after a change, without scrolling."""
        top = self.top_line
        self.show(lines, self._words, passage, min(top, max(0, len(lines) - 1)))

    def jump(self, line: int) -> None:
        """Brings a line to the top."""
        self._awaited, self._is_exact = line, True
        self._come_to_awaited()

    def on_resize(self) -> None:
        """Breaks the lines anew for another width; what is at the top stays there."""
        if self._lines is not None and (self._layout is None or self._layout.cells != self._cells):
            if self._awaited is None:
                self._awaited, self._is_exact = self.top_line, True
            self._lay_out()

    @property
    def _cells(self) -> int:
        return max(1, self.scrollable_content_region.width - GUTTER)

    def _lay_out(self) -> None:
        if self._lines is None or not self.size.width:
            return
        from noderag_local.interfaces.tui.reader.note_layout import NoteLayout

        if len(self._lines) <= LONG:
            self._take(NoteLayout(self._lines, self._cells))
        else:
            self._lay_out_later(self._lines, self._cells)

    @work(exclusive=True, group="layout")
    async def _lay_out_later(self, lines: NoteLines, cells: int) -> None:
        from noderag_local.interfaces.tui.reader.note_layout import NoteLayout

        layout = await asyncio.to_thread(NoteLayout, lines, cells)
        if lines is self._lines:
            self._take(layout)

    def _take(self, layout: NoteLayout) -> None:
        self._layout = layout
        self.virtual_size = Size(0, layout.height)
        self.refresh()
        self.call_after_refresh(self._come_to_awaited)

    def _come_to_awaited(self) -> None:
        if self._layout is None or self._awaited is None:
            return
        row = self._layout.first_row(self._awaited)
        # What is sought stands a third of the way down, so that one sees what it belongs to.
        top = row if self._is_exact else max(0, row - self.size.height // 3)
        self._awaited = None
        self.scroll_to(y=top, animate=False, force=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides the keys for links where there are none, and the one that follows a link while none is chosen."""
        if action == "follow":
            return self._chosen is not None
        return action != "link" or self._has_links

    def action_link(self, by: int) -> None:
        """Goes to the next or previous link, from the last one to the next part of the screen."""
        found = self._next_link(by)
        if found is None:
            if self._chosen is not None:
                self._choose(None)
            raise SkipAction
        self._choose(found)

    def _choose(self, chosen: ChosenLink | None) -> None:
        self._chosen = chosen
        if chosen is not None and self._layout is not None:
            row = self._layout.first_row(chosen.line)
            if not self.scroll_offset.y <= row < self.scroll_offset.y + self.size.height:
                self.scroll_to(y=max(0, row - self.size.height // 3), animate=False, force=True)
        self.refresh()
        self.refresh_bindings()
        self.post_message(self.LinkChosen(chosen.link.target if chosen else ""))

    def _next_link(self, by: int) -> ChosenLink | None:
        if self._lines is None:
            return None
        number = self._chosen.line if self._chosen else self.top_line if by > 0 else len(self._lines) - 1
        while 0 <= number < len(self._lines):
            if self._lines.may_have_links(number):
                links = self._lines.line(number).links
                for link in links if by > 0 else reversed(links):
                    if (
                        self._chosen is None
                        or (number - self._chosen.line or link.start - self._chosen.link.start) * by > 0
                    ):
                        return ChosenLink(number, link)
            number += by
        return None

    def action_follow(self) -> None:
        """Follows the chosen link."""
        if self._chosen is not None:
            self.post_message(self.LinkFollowed(self._chosen.link.target))

    def on_click(self, event: events.Click) -> None:
        """Follows the link that was clicked."""
        layout, row = self._layout, event.y + self.scroll_offset.y
        if layout is None or not 0 <= row < layout.height:
            return
        number, part = layout.place_of(row)
        line = layout.lines.line(number)
        rows = layout.rows_of(number)
        if part >= len(rows):
            return
        start, end = rows[part]
        cell = event.x - GUTTER - cell_len(line.prefix)
        place = start + len(_beginning(line.text[start:end], cell))
        link = link_at(line.links, place) if cell >= 0 else None
        if link is not None:
            self._choose(ChosenLink(number, link))
            self.post_message(self.LinkFollowed(link.target))

    def render_line(self, y: int) -> Strip:
        """Returns one visible row."""
        layout, row = self._layout, self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if layout is None or row >= layout.height:
            return Strip.blank(width, self.get_visual_style().rich_style)
        number, part = layout.place_of(row)
        segments = self._segments(layout, number, part)
        return Strip(segments).adjust_cell_length(width, self.get_visual_style().rich_style)

    def _segments(self, layout: NoteLayout, number: int, part: int) -> list[Segment]:
        line = layout.lines.line(number)
        rows = layout.rows_of(number)
        # A row that was counted too many in a very long note has no text.
        start, end = rows[part] if part < len(rows) else (len(line.text), len(line.text))
        is_cited = self.passage is not None and self.passage.first <= number <= self.passage.last
        before = line.prefix if part == 0 else " " * cell_len(line.prefix)
        segments = [
            Segment("▌ " if is_cited else "  ", self._style(("link",) if is_cited else ())),
            Segment(before, self._style(("muted",))),
        ]
        own = (line.style,) if line.style else ()
        spans = [span for span in self._spans(number, line) if span.start < end and start < span.end]
        cuts = sorted(
            {start, end, *(max(span.start, start) for span in spans), *(min(span.end, end) for span in spans)}
        )
        for first, last in pairwise(cuts):
            styles = dict.fromkeys((*own, *(span.style for span in spans if span.start <= first and last <= span.end)))
            # A row may end inside an emoji of several signs, whose joiner would then join nothing.
            segments.append(Segment(printable(line.text[first:last]), self._style(tuple(styles))))
        return segments

    def _spans(self, number: int, line: ShownLine) -> list[Span]:
        spans = list(line.spans)
        if self.passage is not None and self.passage.first <= number <= self.passage.last:
            spans += (Span(start, end, "passage") for start, end in passage_spans(line.text, self.passage.text))
        if self._words:
            spans += (Span(start, end, "word") for start, end in marked_spans(line.text, self._words))
        if self._chosen is not None and self._chosen.line == number:
            spans.append(Span(self._chosen.link.start, self._chosen.link.end, "chosen"))
        return spans

    def _style(self, names: tuple[str, ...]) -> Style:
        return self.get_visual_style(*(f"note--{name}" for name in names)).rich_style


def _beginning(text: str, cells: int) -> str:
    """Returns the signs of a text that lie wholly before a cell."""
    used = 0
    for place, sign in enumerate(text):
        used += cell_len(sign)
        if used > cells:
            return text[:place]
    return text
