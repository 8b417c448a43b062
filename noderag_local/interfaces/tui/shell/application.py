"""The application: its screens, the keys that open them, and everything that they share."""

from __future__ import annotations

import gc
import logging
import os
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from textual import events, work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.notifications import SeverityLevel
from textual.signal import Signal

from noderag_local.interfaces.tui.jobs.follower import (
    NOT_FOLLOWING,
    FollowChanged,
    Follower,
    FollowingStatus,
    NotesChanged,
    NotFollowed,
    OutdatedFilesKept,
)
from noderag_local.interfaces.tui.jobs.jobs import Job, JobChanged, Jobs
from noderag_local.interfaces.tui.shared.clipboard import copy_by, copy_program
from noderag_local.interfaces.tui.shared.workers import ClosableWorkers
from noderag_local.interfaces.tui.shell.colour_themes import THEMES, theme_name
from noderag_local.interfaces.tui.shell.key_order import acted_in_order
from noderag_local.interfaces.tui.shell.session import Session
from noderag_local.models.llm.answers_set_up import NO_SET_UP, SET_UP_FILE, AnswersSetUp, read_set_up
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from textual.command import Provider
    from textual.screen import Screen
    from textual.widget import AwaitMount

    from noderag_local.config import Settings


_log = logging.getLogger(__name__)

FOLLOW_AFTER_SECONDS = 1.0
"""Seconds after the start when following begins, so that it does not slow the start down."""
SET_UP_SECONDS = 1.0
"""Seconds between two checks of the progress of the answers' set-up."""


def _chat() -> Screen[None]:
    from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen

    return ChatScreen()


def _library() -> Screen[None]:
    from noderag_local.interfaces.tui.library.library_screen import LibraryScreen

    return LibraryScreen()


def _explore() -> Screen[None]:
    from noderag_local.interfaces.tui.explore.explore_screen import ExploreScreen

    return ExploreScreen()


def _models() -> Screen[None]:
    from noderag_local.interfaces.tui.models.models_screen import ModelsScreen

    return ModelsScreen()


def _settings() -> Screen[None]:
    from noderag_local.interfaces.tui.settings.settings_screen import SettingsScreen

    return SettingsScreen()


def _search() -> Screen[None]:
    from noderag_local.interfaces.tui.search.search_screen import SearchScreen

    return SearchScreen()


def _today() -> Screen[None]:
    from noderag_local.interfaces.tui.today.today_screen import TodayScreen

    return TodayScreen()


def _welcome() -> Screen[None]:
    from noderag_local.interfaces.tui.library.welcome_screen import WelcomeScreen

    return WelcomeScreen()


def _commands() -> type[Provider]:
    from noderag_local.interfaces.tui.shell.palette import NoderagCommands

    return NoderagCommands


async def _keep_nothing() -> None:
    """Keeps no draft, as long as the chat was not opened."""


@runtime_checkable
class BeginsAnew(Protocol):
    """A screen in which the next letters that are typed after its key are a new search."""

    def begin_anew(self) -> None:
        """Moves the focus to where letters are taken as a search; what was searched for before is replaced by them."""


class NoderagApp(App[None]):
    """The application, which holds the session and the jobs that all screens share."""

    TITLE = "noderag"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar = {_commands}
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-tall")]
    # Each screen is imported when it is first opened, so that the first one appears quickly.
    MODES: ClassVar = {
        "chat": _chat,
        "library": _library,
        "explore": _explore,
        "models": _models,
        "settings": _settings,
        "search": _search,
        "today": _today,
        "welcome": _welcome,
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help"),
        Binding("f2", "switch_mode('chat')", "Chat"),
        Binding("f3", "switch_mode('library')", "Library"),
        Binding("f4", "switch_mode('explore')", "Explore"),
        Binding("f5", "switch_mode('models')", "Models"),
        Binding("f6", "switch_mode('settings')", "Settings"),
        Binding("f7", "switch_mode('search')", "Search"),
        Binding("f8", "switch_mode('today')", "Today"),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True),
    ]

    def __init__(self, session: Session, set_up_file: Path = SET_UP_FILE) -> None:
        super().__init__()
        self._workers: ClosableWorkers = ClosableWorkers(self)
        self.session = session
        self.jobs = Jobs(self)
        self.job_changes: Signal[Job] = Signal(self, "job changes")
        """Signal of job changes; widgets subscribe to it when they are mounted."""
        self.setting_changes: Signal[Settings] = Signal(self, "setting changes")
        self.mode_before = "chat"
        """Mode that was open before the current one, for the search to go back to."""
        self.following = NOT_FOLLOWING
        self.follow_changes: Signal[FollowingStatus] = Signal(self, "follow changes")
        self.note_changes: Signal[None] = Signal(self, "note changes")
        """Signal that the notes in the vault have changed, by a job or by following the folders."""
        self.keep_draft: Callable[[], Awaitable[None]] = _keep_nothing
        """Keeps a question that is written and not sent; the chat puts its own function here."""
        self.has_draft: Callable[[], bool] = lambda: False
        """Whether such a question is not kept, so that leaving would lose it; the chat puts its own answer here."""
        self.has_unanswered: Callable[[], bool] = lambda: False
        """Whether a question has no complete answer yet, which leaving would lose; the chat puts its own answer here."""
        self.answer_changes: Signal[None] = Signal(self, "answer changes")
        """Signal that a question was asked, or has its answer."""
        self._follower = Follower(self, session, self.jobs)
        self._set_up_file = set_up_file
        self.set_up = NO_SET_UP
        """State of the answers' set-up, which `scripts/run` leaves in the background."""
        self.set_up_changes: Signal[AnswersSetUp] = Signal(self, "set-up changes")

    def on_mount(self) -> None:
        """Registers the themes, shows the first screen and schedules following the folders."""
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = theme_name(self.session.settings.theme)
        self.switch_mode("chat" if self.session.has_vault() else "welcome")
        self.set_timer(FOLLOW_AFTER_SECONDS, self._follower.start)
        self._look_at_set_up()

    def switch_mode(self, mode: str) -> AwaitMount:
        """Opens the screen of a mode, and notes which one was open before."""
        if mode != self.current_mode and self.current_mode in self.MODES:
            self.mode_before = self.current_mode
        return super().switch_mode(mode)

    async def action_switch_mode(self, mode: str) -> None:
        """Opens the screen of a mode for its key, ready for a new search if it has a search line.

        Without notes there is nothing to ask, and in place of the chat comes the welcome, which adds them.
        """
        is_welcome = mode == "chat" and not self.session.has_vault()
        await self.switch_mode("welcome" if is_welcome else mode)
        if isinstance(self.screen, BeginsAnew):
            self.screen.begin_anew()

    async def on_event(self, event: events.Event) -> None:
        """Removes what a terminal takes for commands from a pasted text, and makes keys act in the order in which they came."""
        if isinstance(event, events.Paste) and not event.is_forwarded:
            event = events.Paste(printable(event.text.replace("\r\n", "\n").replace("\r", "\n")))
        if isinstance(event, events.Key) and not event.is_forwarded and await acted_in_order(self, event):
            return
        await super().on_event(event)

    def _look_at_set_up(self) -> None:
        """Publishes the progress of the answers' set-up until it has ended."""
        before, self.set_up = self.set_up, read_set_up(self._set_up_file)
        if self.set_up != before:
            self.set_up_changes.publish(self.set_up)
        if self.set_up.is_at_work:
            self.set_timer(SET_UP_SECONDS, self._look_at_set_up)
        elif before.is_at_work:
            self._tell_end_of_set_up()

    def _tell_end_of_set_up(self) -> None:
        for problem in self.set_up.problems:
            self.notify(problem, title="Answers are still only passages", severity="warning", timeout=30)
        if not self.set_up.problems:
            self.notify("From now on the language model writes the answers.", title="The set-up is complete")

    def on_job_changed(self, event: JobChanged) -> None:
        """Publishes the change to all subscribed widgets."""
        self.job_changes.publish(event.job)
        self._follower.job_changed(event.job)
        if event.job.is_over and event.job.kind.changes_notes:
            self.note_changes.publish(None)

    def on_follow_changed(self, event: FollowChanged) -> None:
        """Publishes the change to all subscribed widgets."""
        self.following = event.following
        self.follow_changes.publish(event.following)

    def on_notes_changed(self, _: NotesChanged) -> None:
        """Publishes the change to all widgets that show notes."""
        self.note_changes.publish(None)

    def on_not_followed(self, event: NotFollowed) -> None:
        """Shows once, on any screen, why a folder is not followed."""
        self.notify(printable(event.why), title="Following the folders", severity="warning", timeout=15, markup=False)

    def on_outdated_files_kept(self, event: OutdatedFilesKept) -> None:
        """Shows, on any screen, that files should be read again, and how to start that."""
        kept = f"{counted(event.files, 'files')} that an older version of noderag has read"
        self.notify(
            f"{kept} can be read again: r in the library (f3) asks.", title="Older files in the vault", timeout=15
        )

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Shows a notification. Many quote file names, so none is read as markup, and invisible characters are made visible."""
        super().notify(printable(message), title=printable(title), severity=severity, timeout=timeout, markup=False)

    def copy_to_clipboard(self, text: str) -> None:
        """Copies a text by the terminal, and by a program where the terminal may not do it."""
        super().copy_to_clipboard(text)
        if command := copy_program(os.environ):
            self.run_worker(partial(copy_by, command, text), thread=True, group="clipboard")

    async def change_settings(self, settings: Settings) -> None:
        """Uses other settings from now on, and publishes them to all widgets that show them."""
        await self.session.change(settings)
        self._follower.start()
        self.setting_changes.publish(settings)

    def action_help(self) -> None:
        """Opens the manual at the page for this screen."""
        from noderag_local.interfaces.tui.shared.help_dialog import HelpDialog

        if not isinstance(self.screen, HelpDialog):
            self.push_screen(HelpDialog(self.current_mode))

    def action_help_quit(self) -> None:
        """Says how to leave after Ctrl-C, in place of Textual's message, which is written in its markup."""
        self.notify("Ctrl-Q leaves noderag.")

    async def action_quit(self) -> None:
        """Leaves the program; asks once if work is running or a question is not answered or cannot be kept."""
        from noderag_local.interfaces.tui.shell.leaving_dialog import LeavingDialog

        await self.keep_draft()
        # The application receives the key before the dialog does.
        if isinstance(self.screen, LeavingDialog):
            self.screen.action_leave()
        elif self.jobs.is_busy or self.has_draft() or self.has_unanswered():
            self._ask_and_leave()
        else:
            self.exit()

    async def _shutdown(self) -> None:
        # Textual 8.2 removes widgets while their workers still run, and these then fail to find them. It has no public hook for
        # this: a test or a closed terminal ends the application without `exit`.
        self._follower.stop()
        self._workers.close()
        await super()._shutdown()

    def _handle_exception(self, error: Exception) -> None:
        # Textual has no public hook for this either: after such an error, `run` returns normally.
        _log.critical("an error that no one foresaw", exc_info=error)
        super()._handle_exception(error)

    @work(exclusive=True, group="leaving")
    async def _ask_and_leave(self) -> None:
        from noderag_local.interfaces.tui.shell.leaving_dialog import LeavingDialog

        dialog = LeavingDialog(self.jobs, has_draft=self.has_draft(), has_unanswered=self.has_unanswered())
        if await self.push_screen_wait(dialog):
            await self.keep_draft()
            self.exit()


YOUNG, MIDDLE, OLD = 5_000, 10, 100
"""Thresholds of Python's garbage collector: objects, and passes over younger generations, between two passes. With Python's own
(700, 10, 10), a hundred keys cause about four full passes of 100 ms each with a large vault; unused cycles wait longer here."""


def tune_garbage_collector() -> None:
    """Keeps garbage collection from delaying keys. Call it after everything that stays loaded is imported."""
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)


def run(settings: Settings) -> int:
    """Shows the interface until it is left.

    Returns:
        The exit code: 0, or 1 if the interface failed, which has then printed a traceback.
    """
    session = Session(settings)
    app = NoderagApp(session)
    tune_garbage_collector()
    try:
        app.run()
    finally:
        # A job checks often whether to stop; the session waits until it has stopped.
        app.jobs.stop()
        session.close()
    return app.return_code or 0
