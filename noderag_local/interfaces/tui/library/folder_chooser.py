"""Asks which folder or file to index: first for its path, then for a confirmation of its contents."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Label, Static

from noderag_local.domain.errors import SourceError
from noderag_local.interfaces.tui.library.left_out_lines import left_out_lines
from noderag_local.interfaces.tui.library.path_input import PathInput
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.terminal_text import safe_text
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.system.printing.amounts import counted, size

if TYPE_CHECKING:
    from noderag_local.vault.browsing.survey import Survey


T = TypeVar("T")


async def on_side_thread(do: Callable[[], T]) -> T:
    """Returns the result of `do`, run in a thread that does not keep the program from ending.

    It is for work that cannot be cancelled, such as walking over a whole disk: with `asyncio.to_thread` the program could not
    end before that.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(set_it: Callable[[], None]) -> None:
        if not done.done():
            set_it()

    def run() -> None:
        try:
            found = do()
        except Exception as error:  # noqa: BLE001 - raised again where it is awaited
            failure = error
            deliver = lambda: done.set_exception(failure)  # noqa: E731
        else:
            deliver = lambda: done.set_result(found)  # noqa: E731
        with suppress(RuntimeError):  # the program has ended meanwhile
            loop.call_soon_threadsafe(settle, deliver)

    threading.Thread(target=run, name="side", daemon=True).start()
    return await done


READ = "Its notes and documents are read, in the folders below it too. Nothing is changed there."


class FolderChooser(VerticalGroup):
    """Asks for a path: enter shows what would be read and names what would not, enter again confirms it."""

    DEFAULT_CSS = """
    FolderChooser {
        #survey { width: 1fr; margin-top: 1; color: $text-muted; }
        #survey.-ready { color: $foreground; }
        #left-out { height: auto; max-height: 6; margin-top: 1; display: none; }
        #left-out.-open { display: block; }
        #left-out Static { width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "scroll_left_out(1)", show=False),
        Binding("pageup", "scroll_left_out(-1)", show=False),
    ]

    class Chosen(Message):
        """Posted when a person confirms a folder or file to index."""

        def __init__(self, path: Path) -> None:
            self.path = path
            super().__init__()

    def __init__(self, value: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._begins_with = value
        self._surveyed: Path | None = None

    def compose(self) -> ComposeResult:
        """Lays out the field and the text about its path."""
        yield PathInput(self._begins_with)
        yield Label(READ, id="survey", markup=False)
        with VerticalScroll(id="left-out", can_focus=False):
            yield Static()

    def take_focus(self) -> None:
        """Focuses the field."""
        self.query_one(PathInput).take_focus()

    def tell(self, problem: str) -> None:
        """Shows why the last choice failed."""
        self._surveyed = None
        self._say(safe_text(problem, "$text-error"))

    @on(PathInput.Changed)
    def _changed(self, event: PathInput.Changed) -> None:
        event.stop()
        if self._surveyed is not None:
            self._surveyed = None
            self._say(Content(READ))

    @on(PathInput.Submitted)
    def _submitted(self, event: PathInput.Submitted) -> None:
        event.stop()
        path = Path(os.path.abspath(event.path))
        if path == self._surveyed:
            self.post_message(self.Chosen(path))
        else:
            self._look(path)

    @work(exclusive=True)
    async def _look(self, path: Path) -> None:
        from noderag_local.vault.browsing.survey import survey

        limit = noderag_of(self).session.settings.max_file_mb << 20
        self._say(safe_text(f"Looking what {path} holds …"))
        try:
            found = await on_side_thread(lambda: survey([path], limit))
        except SourceError as error:
            self._say(safe_text(str(error), "$text-error"))
            return
        if Path(os.path.abspath(self.query_one(PathInput).path)) != path:
            return
        self._surveyed = path if found.files else None
        self._say(survey_text(found), is_ready=bool(found.files))
        self._name_left_out(Content("\n").join(list(left_out_lines(found.left_out, [str(path)]))))

    def action_scroll_left_out(self, pages: int) -> None:
        """Scrolls the names of the files that would be left out."""
        names = self.query_one("#left-out", VerticalScroll)
        names.scroll_relative(y=pages * names.size.height, animate=False)

    def _name_left_out(self, names: Content) -> None:
        listed = self.query_one("#left-out", VerticalScroll)
        listed.query_one(Static).update(names)
        listed.set_class(bool(names), "-open")
        listed.scroll_home(animate=False)

    def _say(self, text: Content, *, is_ready: bool = False) -> None:
        """Shows a text below the field, and closes the list of files that an earlier path would have left out."""
        self._name_left_out(Content(""))
        label = self.query_one("#survey", Label)
        label.update(text)
        label.set_class(is_ready, "-ready")


def survey_text(found: Survey) -> Content:
    """Returns what would be read, what would be left out, and how long it takes."""
    left_out = ", ".join(f"{len(group.paths):,} {group.reason}" for group in found.left_out)
    left_out = f"Left out: {left_out}." if left_out else "Nothing is left out."
    if not found.files:
        return safe_text(f"There is nothing here that noderag can read. {left_out}", "$text-warning")
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in found.kinds)
    lines = [
        f"{counted(found.files, 'files')} ({kinds}), {size(found.size_bytes)}; {roughly(found.seconds)}.",
        left_out,
    ]
    return safe_text("\n".join(lines)) + Content.styled("\nEnter begins.", "bold")


def roughly(seconds: float) -> str:
    """Returns a rough time, such as `about 4 min`, since the speed of machines differs too much for more."""
    if seconds < 45:
        return "some seconds"
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"about {minutes} min"
    return f"about {minutes // 60} h" + (f" {minutes % 60 // 5 * 5} min" if minutes % 60 >= 5 else "")


class AddingDialog(Dialog[Path | None]):
    """Asks for a folder or a file; None if the user cancels."""

    DEFAULT_CSS = """
    AddingDialog {
        DialogBox { width: 76; }
        #title { margin-bottom: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Not now")]

    def compose(self) -> ComposeResult:
        """Lays out the question and the field."""
        with DialogBox():
            yield Label("Which folder or file is to be read?", id="title")
            yield FolderChooser()

    def on_mount(self) -> None:
        """Focuses the field."""
        self.query_one(FolderChooser).take_focus()

    @on(FolderChooser.Chosen)
    def _chosen(self, event: FolderChooser.Chosen) -> None:
        self.dismiss(event.path)
