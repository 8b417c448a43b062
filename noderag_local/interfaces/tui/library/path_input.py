"""A field for a path, with completions below it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from noderag_local.interfaces.tui.shared.terminal_text import safe_text
from noderag_local.system.printing.plain_text import printable

MOST = 200
"""Maximum number of names that are offered; typing another letter narrows them down."""


def completions(text: str, suffixes: Collection[str] = ()) -> list[str]:
    """Returns the completions of a path's last part, as the user would type them, sorted by name.

    Folders end in a slash. Hidden ones are offered after a dot was typed. Names that a terminal cannot show exactly are left out,
    since what is typed must be what is meant.

    Args:
        text: text typed so far; "~" is the home folder, "" means the folders of the home folder.
        suffixes: lower-case suffixes of files that are offered as well; empty for folders only.
    """
    if text in ("", "~"):
        text = "~/"
    typed_folder, start = text[: text.rfind("/") + 1], text[text.rfind("/") + 1 :]
    folder = os.path.expanduser(typed_folder) or "."
    found = [
        typed_folder + name
        for name in _names(folder, tuple(suffixes))
        if name.casefold().startswith(start.casefold()) and (start.startswith(".") or not name.startswith("."))
    ]
    return sorted(found, key=lambda path: (path.casefold(), path))[:MOST]


def _names(folder: str, suffixes: tuple[str, ...]) -> list[str]:
    """Returns the names of subfolders, with a slash, and of files with these suffixes; empty if the folder cannot be read."""
    names = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if printable(entry.name) != entry.name or "\n" in entry.name or "\t" in entry.name:
                    continue
                if entry.is_dir():
                    names.append(f"{entry.name}/")
                elif suffixes and entry.name.lower().endswith(suffixes):
                    names.append(entry.name)
    except OSError:
        return []
    return names


def common_start(paths: Sequence[str]) -> str:
    """Returns the longest common beginning, ignoring case, with the spelling of the first path."""
    for place, signs in enumerate(zip(*paths, strict=False)):
        if len({sign.casefold() for sign in signs}) > 1:
            return paths[0][:place]
    return min(paths, key=len, default="")


class PathInput(VerticalGroup):
    """Asks for a path: tab completes it, the arrow keys choose a completion, enter accepts the completion or submits the path."""

    DEFAULT_CSS = """
    PathInput {
        Input { width: 1fr; }
        OptionList {
            height: auto;
            max-height: 8;
            border: none;
            padding: 0 1;
            background: $surface;
            display: none;
        }
        OptionList.-open { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", show=False),
        Binding("down", "choose(1)", "Choose", show=False),
        Binding("up", "choose(-1)", "Choose", show=False),
        Binding("escape", "close_list", "Close the list", show=False),
    ]

    class Submitted(Message):
        """Posted when the user presses enter on a path, which may not exist."""

        def __init__(self, path_input: PathInput, path: Path) -> None:
            self.path_input = path_input
            self.path = path
            super().__init__()

        @property
        def control(self) -> PathInput:
            """Widget that posted the message, for selectors of `@on`."""
            return self.path_input

    class Changed(Message):
        """Posted when the path changes."""

        def __init__(self, path_input: PathInput) -> None:
            self.path_input = path_input
            super().__init__()

        @property
        def control(self) -> PathInput:
            """Widget that posted the message, for selectors of `@on`."""
            return self.path_input

    def __init__(
        self,
        value: str = "",
        *,
        folders_only: bool = True,
        suffixes: Collection[str] = (),
        placeholder: str = "A folder: ~/notes",
        is_whole: bool = False,
        id: str | None = None,
    ) -> None:
        """Creates the field.

        Args:
            value: initial path.
            is_whole: whether the initial path needs no completion; escape then closes the dialog around it at once.
            folders_only: True offers no files as completions.
            suffixes: lower-case suffixes of files that are offered beside folders, unless `folders_only` is set.
            placeholder: shown while the field is empty.
            id: id of the widget.
        """
        super().__init__(id=id)
        self._begins_with, self._is_whole = value, is_whole
        self._suffixes = () if folders_only else tuple(suffixes)
        self._placeholder = placeholder
        self._found: list[str] = []

    def compose(self) -> ComposeResult:
        """Lays out the field and the list of completions."""
        yield Input(self._begins_with, placeholder=self._placeholder, select_on_focus=False)
        offered = OptionList()
        offered.can_focus = False
        yield offered

    @property
    def value(self) -> str:
        """Path as typed."""
        return self._input.value

    @property
    def path(self) -> Path:
        """Path with "~" expanded."""
        return Path(os.path.expanduser(self.value.strip()))

    def take_focus(self) -> None:
        """Focuses the field and shows completions, also of the path that it began with unless that is a whole one."""
        self._input.focus()
        self.call_after_refresh(self._offer)

    @property
    def _input(self) -> Input:
        return self.query_one(Input)

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(self))
        self._offer()

    def _offer(self) -> None:
        if not (self._is_whole and self.value == self._begins_with):
            self._look_up(self.value)

    @work(exclusive=True, group="completions")
    async def _look_up(self, text: str) -> None:
        # Read in a thread, since a folder may be on a sleeping disk.
        found = await asyncio.to_thread(completions, text, self._suffixes)
        # Shows nothing if the only completion has been typed already.
        self._found = [] if found == [text] else found
        self._list.set_options(Option(safe_text(path)) for path in self._found)
        self._list.highlighted = None
        self._list.set_class(bool(self._found) and self._input.has_focus, "-open")

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self._is_open and self._list.highlighted is not None:
            self._take(self._found[self._list.highlighted])
        elif self.value.strip():
            self.workers.cancel_group(self, "completions")
            self._close()
            self.post_message(self.Submitted(self, self.path))

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._take(self._found[event.option_index])
        self.take_focus()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()

    def action_complete(self) -> None:
        """Completes the path as far as all completions agree, or with the first one."""
        if not self._is_open:
            raise SkipAction
        shared = common_start(self._found)
        chosen = self._list.highlighted
        if chosen is not None:
            self._take(self._found[chosen])
        elif len(shared) > len(self.value) or len(self._found) == 1:
            self._take(shared)
        else:
            self.action_choose(1)

    def action_choose(self, by: int) -> None:
        """Moves the cursor of the list; beyond either end it returns to the field."""
        if not self._is_open:
            raise SkipAction
        places = len(self._found) + 1  # the last one is the field
        now = places - 1 if self._list.highlighted is None else self._list.highlighted
        place = (now + by) % places
        self._list.highlighted = None if place == places - 1 else place

    def action_close_list(self) -> None:
        """Closes the list; if it is closed already, escape has the screen's meaning."""
        if not self._is_open:
            raise SkipAction
        self._close()

    @property
    def _is_open(self) -> bool:
        return self._list.has_class("-open")

    def _close(self) -> None:
        self._list.remove_class("-open")

    def _take(self, path: str) -> None:
        self._input.value = path
        self._input.cursor_position = len(path)
