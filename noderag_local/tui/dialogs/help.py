"""F1: the keys of the screen from which it was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from noderag_local.tui.own_bindings import in_full, is_ours

if TYPE_CHECKING:
    from textual.dom import DOMNode


class Key(NamedTuple):
    """One line of the help."""

    keys: str
    """As they are printed on a keyboard: "f2", "ctrl+p, f1"."""
    does: str


class KeyGroup(NamedTuple):
    """Keys that work in the same place."""

    title: str
    keys: tuple[Key, ...]


class HelpDialog(ModalScreen[None]):
    """Lists the keys that work now, nearest first: in what has the focus, on the screen, everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q", "dismiss(None)", "Close")]
    DEFAULT_CSS = """
    HelpDialog {
        align: center middle;
        VerticalScroll {
            width: 72;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            padding: 1 2;
            background: $surface;
            border: round $border;
            border-title-color: $text;
            border-subtitle-color: $text-muted;
        }
        .group { color: $text-primary; text-style: bold; margin-top: 1; }
        .group:first-child { margin-top: 0; }
    }
    """

    def __init__(self, asked_from: Screen[object]) -> None:
        """Reads the keys at once: afterwards this dialog itself is what is open."""
        super().__init__()
        self._groups = key_groups(asked_from)
        self._title = asked_from.title or type(asked_from).__name__.removesuffix("Screen")

    def compose(self) -> ComposeResult:
        """One block a group, in the order in which a screen reader should read them."""
        with VerticalScroll() as box:
            box.border_title = f"Keys · {self._title}"
            box.border_subtitle = "escape closes"
            for group in self._groups:
                yield Static(group.title, classes="group", markup=False)
                yield Static(_lines(group), markup=False)


def key_groups(screen: Screen[object]) -> tuple[KeyGroup, ...]:
    """The keys that work on a screen now, by the part of it that they belong to, the whole program's last.

    How lists scroll and fields move their cursor is left out: that is as everywhere.
    """
    groups: dict[DOMNode, dict[tuple[str, str], list[str]]] = {screen: {}}
    for active in screen.active_bindings.values():
        binding, node = active.binding, active.node
        if not binding.description or not active.enabled:
            continue
        if not is_ours(binding, node):
            if not isinstance(node, (App, Screen)):
                continue
            node = screen.app
        keys = groups.setdefault(node, {}).setdefault((binding.action, in_full(binding)), [])
        keys.append(screen.app.get_key_display(binding))
    ordered = sorted(groups.items(), key=lambda item: _distance(item[0], screen))
    return tuple(KeyGroup(_title_of(node), tuple(_keys(actions))) for node, actions in ordered if actions)


def _keys(actions: dict[tuple[str, str], list[str]]) -> Iterator[Key]:
    for (_, does), keys in actions.items():
        yield Key(", ".join(dict.fromkeys(keys)), does)


def _distance(node: DOMNode, screen: Screen[object]) -> int:
    """The screen first, then what has the focus, then the whole program: that is what a person looks for."""
    if node is screen:
        return 0
    return 2 if isinstance(node, App) else 1


def _title_of(node: DOMNode) -> str:
    from textual.widgets import Input, TextArea

    if isinstance(node, App):
        return "Everywhere"
    if isinstance(node, Screen):
        return "On this screen"
    if isinstance(node, (Input, TextArea)):
        return "While writing"
    return "In the part that has the focus"


def _lines(group: KeyGroup) -> Content:
    width = min(24, max(len(key.keys) for key in group.keys))
    return Content("\n").join(
        Content.assemble((key.keys.ljust(width), "$text-accent"), "  ", key.does) for key in group.keys
    )
