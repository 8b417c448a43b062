"""The command palette, which offers everything that the interface can do from any screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.types import IgnoreReturnCallbackType

from noderag_local.interfaces.tui.shell.colour_themes import THEMES
from noderag_local.interfaces.tui.shell.key_line import in_full, is_ours, own_bindings
from noderag_local.interfaces.tui.shell.owner import noderag_of

if TYPE_CHECKING:
    from textual.screen import Screen

    from noderag_local.interfaces.tui.shell.application import NoderagApp

SCREENS = {
    "chat": ("Chat", "ChatScreen"),
    "library": ("Library", "LibraryScreen"),
    "explore": ("Explore", "ExploreScreen"),
    "models": ("Models", "ModelsScreen"),
    "settings": ("Settings", "SettingsScreen"),
    "search": ("Search", "SearchScreen"),
    "today": ("Today", "TodayScreen"),
}
"""Name in the palette and class of the screen for each mode."""


class Command(NamedTuple):
    """One line of the palette."""

    text: str
    """What it does, with the place first, such as "Library: add a folder"."""
    help: str
    """Second line, such as the key that does the same; empty if there is nothing to add."""
    run: IgnoreReturnCallbackType
    is_shown_first: bool
    """Whether it is offered before anything is typed."""


@runtime_checkable
class OffersCommands(Protocol):
    """A screen that offers commands of its own, besides its keys."""

    def palette_commands(self) -> Iterator[Command]:
        """Yields its commands."""


class NoderagCommands(Provider):
    """Offers the commands of this screen, all screens and their keys, themes, help and leaving.

    It is the only provider: Textual 8.2 keeps providers in a set, so that with two of them the order of their commands would
    depend on where their classes lie in memory.
    """

    async def startup(self) -> None:
        """Collects the commands each time the palette opens."""
        self._commands = list(self._collect())

    async def discover(self) -> Hits:
        """Yields the most useful commands before anything is typed."""
        for command in self._commands:
            if command.is_shown_first:
                yield DiscoveryHit(command.text, command.run, help=command.help)

    async def search(self, query: str) -> Hits:
        """Yields every command that matches the typed text."""
        matcher = self.matcher(query)
        for command in self._commands:
            score = matcher.match(command.text)
            if score > 0:
                yield Hit(score, matcher.highlight(command.text), command.run, text=command.text, help=command.help)

    def _collect(self) -> Iterator[Command]:
        app = noderag_of(self.screen)
        if isinstance(self.screen, OffersCommands):
            yield from self.screen.palette_commands()
        yield from self._of_this_screen()
        for mode, (name, _) in SCREENS.items():
            yield Command(
                f"Go to {name}", f"The screen {name}", partial(app.action_switch_mode, mode), is_shown_first=True
            )
        for setting, theme in THEMES.items():
            yield Command(f"Theme: {setting}", "Until you leave; the settings keep one", _theme(app, theme.name), True)
        yield Command(
            "Help", "The manual, at the page for this screen", partial(app.run_action, "help"), is_shown_first=True
        )
        yield Command(
            "Quit", "Asks once if something would be lost", partial(app.run_action, "quit"), is_shown_first=True
        )
        for mode, (name, class_name) in SCREENS.items():
            if mode != app.current_mode:
                yield from _of_another_screen(app, mode, name, class_name)

    def _of_this_screen(self) -> Iterator[Command]:
        seen = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if active.node is not self.screen or not binding.description or binding.action in seen:
                continue
            if not is_ours(binding, active.node):
                continue
            seen.add(binding.action)
            run = partial(self.app.run_action, binding.action, active.node)
            yield Command(in_full(binding), f"key {self.app.get_key_display(binding)}", run, is_shown_first=True)


def _theme(app: NoderagApp, name: str) -> Callable[[], None]:
    def choose() -> None:
        app.theme = name

    return choose


def _of_another_screen(app: NoderagApp, mode: str, name: str, class_name: str) -> Iterator[Command]:
    """Yields the keys of a screen that is not open; choosing one opens the screen first."""
    screen_class: type[Screen[None]] = getattr(
        import_module(f"noderag_local.interfaces.tui.{mode}.{mode}_screen"), class_name
    )
    for binding in own_bindings(screen_class):
        if binding.description and binding.show:
            does = in_full(binding)[0].lower() + in_full(binding)[1:]
            help = f"key {app.get_key_display(binding)} in {name}"
            yield Command(f"{name}: {does}", help, partial(_go_and_do, app, mode, binding.action), is_shown_first=False)


async def _go_and_do(app: NoderagApp, mode: str, action: str) -> None:
    await app.switch_mode(mode)
    # Runs after the layout, since some actions need the selected item.
    app.screen.call_after_refresh(app.run_action, action, app.screen)
