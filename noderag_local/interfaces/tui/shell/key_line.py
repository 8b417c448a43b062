"""Shows the available keys in the last line of every screen, or in the last two lines of a narrow one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.dom import DOMNode


def own_bindings(node_class: type[DOMNode]) -> Iterator[Binding]:
    """Yields the bindings of a class and its bases, the most general first, without those of textual's classes."""
    yield from _bound(node_class, by_library=False)


def is_ours(binding: Binding, node: DOMNode) -> bool:
    """Returns whether this program, and not textual, defined a key.

    A key of textual that a class of this program binds again counts as this program's only if the key line shows it.
    """
    librarys = {theirs.action for theirs in _bound(type(node), by_library=True)}
    return any(
        ours.action == binding.action and (ours.show or ours.action not in librarys)
        for ours in own_bindings(type(node))
    )


def _bound(node_class: type[DOMNode], *, by_library: bool) -> Iterator[Binding]:
    for cls in reversed(node_class.__mro__):
        if cls.__module__.startswith("textual.") is by_library:
            yield from Binding.make_bindings(vars(cls).get("BINDINGS", ()))


def in_full(binding: Binding) -> str:
    """Returns a short description of a key; the key line has room for one word only."""
    return binding.tooltip or binding.description


KEY, WORD = "bold $footer-key-foreground", "$footer-description-foreground"


ONE_ROW_CELLS = 140
"""Width from which the keys of the program and of a screen share one row."""


class KeyPlace(NamedTuple):
    """Position of a key."""

    binding: Binding
    text: Content
    row: int
    start: int
    """Number of cells from the left."""


class KeyLine(Widget):
    """Shows the keys of the whole program, of the focused widget and of its screen.

    In a narrow terminal the screen's own keys are in a row above those of the program, because both do not fit into one row.

    Textual's own footer cuts words that do not fit, and uses one widget per key, all of which are made again at every change of
    focus.
    """

    DEFAULT_CSS = """
    KeyLine {
        dock: bottom;
        height: 1;
        color: $footer-foreground;
        background: $footer-background;
    }
    """

    def on_mount(self) -> None:
        """Subscribes to changes of the active keys."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def on_resize(self) -> None:
        """Marks a narrow line; the application's style sheet gives it two rows if the terminal is high enough."""
        self.set_class(self.size.width < ONE_ROW_CELLS, "-slim")

    @property
    def _has_two_rows(self) -> bool:
        return self.size.height > 1

    def render(self) -> Content:
        """Returns as many keys as fit."""
        rows: dict[int, list[Content]] = {row: [] for row in range(1 + self._has_two_rows)}
        for place in self._places():
            rows[place.row].append(place.text)
        return Content("\n").join(Content(" ").join(row) for row in rows.values())

    def on_click(self, event: events.Click) -> None:
        """Does what the clicked key does."""
        for place in self._places():
            if place.row == event.y and place.start <= event.x < place.start + place.text.cell_length:
                self.app.simulate_key(place.binding.key)

    def _places(self) -> Iterator[KeyPlace]:
        starts, full = [0, 0], set()
        for active in self._by_importance():
            row = 1 if self._has_two_rows and isinstance(active.node, App) else 0
            key, word = self.app.get_key_display(active.binding), active.binding.description
            text = Content.assemble((key, KEY), (f" {word}", WORD))
            if starts[row] + text.cell_length > self.size.width:
                full.add(row)
            if row not in full:
                yield KeyPlace(active.binding, text if active.enabled else text.stylize("dim"), row, starts[row])
                starts[row] += text.cell_length + 1

    def _by_importance(self) -> Iterator[ActiveBinding]:
        """Yields one key for each action; those of a widget or screen in the order of its declaration.

        Of two keys with the same word, as "Edit" of a note and of the chat around it, the one nearer to the focus is shown.
        """
        words: set[str] = set()
        shown: dict[tuple[DOMNode, str], ActiveBinding] = {}
        for active in self.screen.active_bindings.values():
            if active.binding.show:
                shown.setdefault((active.node, active.binding.action), active)
        nodes = {node for node, _ in shown}
        for node in sorted(nodes, key=lambda node: (not isinstance(node, App), -len(node.ancestors))):
            for binding in own_bindings(type(node)):
                if (node, binding.action) in shown:
                    active = shown.pop((node, binding.action))
                    if active.binding.description not in words:
                        words.add(active.binding.description)
                        yield active
