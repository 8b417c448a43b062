"""Draws the graph from a question to its sources; the arrow keys move through it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from noderag_local.interfaces.tui.chat.answers.subgraph_layout import Box, Drawing, drawing
from noderag_local.interfaces.tui.shared.line_list import fitted, one_line

if TYPE_CHECKING:
    from noderag_local.vault.browsing.trace import Trace, TraceNode

HEAVY = str.maketrans("─│┌┐└┘├┤┬┴┼", "━┃┏┓┗┛┣┫┳┻╋")
"""Lines of the node under the cursor, which differ in weight and not only in colour."""
EMPTY = Drawing(0, 0, (), {}, {}, ())


class Subgraph(Widget, can_focus=True):
    """Draws nodes with a letter for their type, and lines between them from left to right."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"subgraph--line", "subgraph--lit", "subgraph--cursor"}
    DEFAULT_CSS = """
    Subgraph {
        height: auto;
        & > .subgraph--line { color: $text-muted; }
        & > .subgraph--lit { color: $text-primary; text-style: bold; }
        & > .subgraph--cursor { background: $block-cursor-blurred-background; color: $block-cursor-blurred-foreground; }
        &:focus > .subgraph--cursor {
            background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "across(-1)", "Back along the way", show=False),
        Binding("right", "across(1)", "On along the way", show=False),
        Binding("up", "along(-1)", "Up", show=False),
        Binding("down", "along(1)", "Down", show=False),
        Binding("enter", "choose", "Open"),
    ]

    selected: reactive[int] = reactive(0)
    """Index of a node of the trace."""

    class Moved(Message):
        """Posted when the cursor moves to another node."""

        def __init__(self, node: int) -> None:
            self.node = node
            super().__init__()

    class Chosen(Moved):
        """Posted when a person opens the node under the cursor."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._trace: Trace | None = None
        self._most_lines = 0
        self._drawing = EMPTY

    def show(self, trace: Trace, most_lines: int) -> None:
        """Shows another trace.

        Args:
            trace: nodes and edges to draw.
            most_lines: maximum height; nodes are spread over this many lines if they fit.
        """
        self._trace, self._most_lines = trace, most_lines
        self._draw(self.size.width)
        self.refresh(layout=True)

    def _draw(self, width: int) -> None:
        if self._trace is not None and width:
            layers = [int(node.layer) for node in self._trace.nodes]
            edges = [(edge.start, edge.end) for edge in self._trace.edges]
            self._drawing = drawing(layers, edges, width, self._most_lines)

    def on_resize(self, event: events.Resize) -> None:
        """Draws the graph again for the new width."""
        self._draw(event.size.width)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Returns the number of lines of the drawing."""
        return max(self._drawing.height, 1)

    def watch_selected(self) -> None:
        """Posts `Moved`."""
        self.refresh()
        self.post_message(self.Moved(self.selected))

    def action_across(self, by: int) -> None:
        """Moves the cursor to the nearest node of the layer before or after."""
        columns = [column for column in self._drawing.columns if column]
        here = next((place for place, column in enumerate(columns) if self.selected in column), 0)
        if 0 <= here + by < len(columns):
            line = self._drawing.boxes[self.selected].line
            self.selected = min(columns[here + by], key=lambda node: abs(self._drawing.boxes[node].line - line))

    def action_along(self, by: int) -> None:
        """Moves the cursor up or down within a layer."""
        column = next((column for column in self._drawing.columns if self.selected in column), ())
        if column:
            self.selected = column[max(0, min(column.index(self.selected) + by, len(column) - 1))]

    def action_choose(self) -> None:
        """Posts `Chosen` for the node under the cursor."""
        if self._trace is not None:
            self.post_message(self.Chosen(self.selected))

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to a node."""
        for node, box in enumerate(self._drawing.boxes):
            if box.line == event.y and box.column <= event.x < box.column + box.width:
                self.selected = node

    def render_line(self, y: int) -> Strip:
        """Returns one line of the drawing."""
        segments = [
            Segment(text, (self.get_visual_style(f"subgraph--{name}") if name else self.get_visual_style()).rich_style)
            for text, name in self._cells(y)
        ]
        return Strip(segments).adjust_cell_length(self.size.width, self.get_visual_style().rich_style)

    def _cells(self, y: int) -> Iterator[tuple[str, str]]:
        here = sorted((box.column, node) for node, box in enumerate(self._drawing.boxes) if box.line == y)
        column = 0
        for start, node in here:
            yield from self._lines(y, column, start)
            text = label_fitted(self._shown[node], self._drawing.boxes[node])
            yield text, "cursor" if node == self.selected else ""
            column = start + cell_len(text)
        yield from self._lines(y, column, self._drawing.width)

    def _lines(self, y: int, start: int, stop: int) -> Iterator[tuple[str, str]]:
        for column in range(start, stop):
            sign = self._drawing.signs.get((y, column), " ")
            is_lit = any(self.selected in edge for edge in self._drawing.edges_at.get((y, column), ()))
            yield (sign.translate(HEAVY), "lit") if is_lit else (sign, "line")

    @property
    def _shown(self) -> Sequence[TraceNode]:
        return self._trace.nodes if self._trace else ()


def label(node: TraceNode) -> str:
    """Returns the label of a node: the letter of its type and its name; a question mark for the question."""
    if node.type is None:
        return "?"
    name = one_line(node.name)
    return name if node.source is not None and not node.node else f"{node.type.value} {name}"


def label_fitted(node: TraceNode, box: Box) -> str:
    """Returns the label of a node, cut to its box; adds a space if there is room, so that no line touches it."""
    text = label(node)
    return fitted(text, box.width) if cell_len(text) >= box.width else f"{text} "
