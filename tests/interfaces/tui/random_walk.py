"""Takes a random walk through the application, and looks after every step whether something is wrong."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hostile.hidden import hidden_on_screen
from interfaces.tui.random_steps import PASTED, SIZES, TYPED, Walk
from interfaces.tui.screen_text import lines, shown
from interfaces.tui.waiting import SECONDS
from interfaces.tui.walk_grounds import WalkGround
from textual import events
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from noderag_local.interfaces.tui.chat.question_box import QuestionBox
from noderag_local.interfaces.tui.library.path_input import PathInput
from noderag_local.interfaces.tui.search.search_line_input import SearchLineInput
from noderag_local.interfaces.tui.shell.application import NoderagApp

STEP_SECONDS = SECONDS
"""After which a step that has not ended counts as a screen that is stuck, on a busy machine too."""
DRAWN_SECONDS = 5.0
WAITING = (
    "Reading …",
    "Searching …",
    "by meaning: coming",
    "Comparing the names …",
    "Following the way …",
    "Looking what",
)
"""What screens say while they wait for something; none may say so for ever."""
EDITING = {"backspace", "delete", "space", "slash", "enter", "tab", "up", "down", "ctrl+j", "alt+enter", "shift+enter"}
CHANGES_FIELD = {f"ctrl+{letter}" for letter in "adfhkuvwxyz"}
OWN_CLICKS = ("link(",)
"""Actions that our own texts are clicked for: links of Markdown."""


class WalkBroken(AssertionError):
    """Something that must not be, and after which step."""

    def __init__(self, where: str, what: str, details: str = "") -> None:
        super().__init__(f"{where} {what} {details}")
        self.what = what
        """Alike for walks that break alike."""


class Draft(NamedTuple):
    """A text that a person has typed and not sent."""

    text: str
    has_focus: bool
    asked: tuple[str, ...]
    """What the key up brings back, or the end of editing the last question."""


@dataclass
class Walker:
    """A person who takes the steps of a walk."""

    ground: WalkGround
    app: NoderagApp
    pilot: Pilot[None]
    told: Callable[[str], None] = lambda _: None
    slow: list[tuple[float, str]] = field(default_factory=list)
    """Steps that took longer than a second."""

    async def take(self, walk: Walk) -> None:
        """All steps, and the way out.

        Raises:
            WalkBroken: something is wrong.
        """
        await self._in_time("the start", self.pilot.pause(0.05))
        for number, step in enumerate(walk.steps, 1):
            if self._has_left:
                return
            where = f"after step {number}, {step},"
            self.told(step)
            question, line = self._question, self._search_line
            began = time.perf_counter()
            await self._in_time(where, self._step(step))
            if (took := time.perf_counter() - began) > 1.0:
                self.slow.append((took, step))
            if self._has_left:
                return
            await self._in_time(where, self._drawn())
            self._look(where)
            self._compare("question", where, step, question, self._question)
            self._compare("search line", where, step, line, self._search_line)
        await self._in_time("at the end", self._settle())
        if walk.goes_home:
            await self._in_time("going home,", self._go_home())
        await self._in_time("leaving,", self._leave())

    async def _in_time(self, where: str, doing: object) -> None:
        try:
            await asyncio.wait_for(doing, STEP_SECONDS)  # type: ignore[arg-type]
        except TimeoutError:
            raise WalkBroken(where, f"nothing goes on: {self._place}") from None

    @property
    def _has_left(self) -> bool:
        return self.app._exit or not self.app.is_running

    @property
    def _place(self) -> str:
        dialog = f", in {type(self.app.screen).__name__}" if len(self.app.screen_stack) > 1 else ""
        return f"{self.app.current_mode}{dialog}"

    async def _step(self, step: str) -> None:
        kind, _, what = step.partition("=")
        name = what.replace("_", " ")
        if kind == "wait":
            await self.pilot.pause(0.25)
        elif kind == "type":
            text = str(self.ground.notes) if name == "notes" else TYPED[name]
            await self._press(*("space" if sign == " " else sign for sign in text))
        elif kind == "paste":
            self.app.post_message(events.Paste(PASTED[name]))
            await self.pilot.pause()
        elif kind == "disk":
            self.ground.happen(what)
        elif kind in SIZES:
            width, height = map(int, kind.split("x"))
            await self.pilot.resize_terminal(width, height)
        elif kind in ("click", "wheel"):
            await self._point(kind, *map(int, what.split(",")))
        elif kind == "shown":
            if keys := [one.binding.key for one in self.app.screen.active_bindings.values() if one.binding.show]:
                await self._press(keys[int(what) % len(keys)])
        else:
            await self._press(kind)

    async def _press(self, *keys: str) -> None:
        """Presses keys as quickly as they are taken."""
        if "enter" in keys:
            self._stay_inside()
        await self.pilot.press(*keys)

    async def _point(self, kind: str, x: int, y: int) -> None:
        """Clicks or turns the wheel, at hundredths of the screen's width and height."""
        size = self.app.size
        at = (x * size.width // 100, y * size.height // 100)
        self._stay_inside()
        if kind == "click":
            await self.pilot.click(offset=at)
        else:
            await self.pilot._post_mouse_events([events.MouseScrollDown], offset=at, button=0)

    def _stay_inside(self) -> None:
        """Empties a field for a path that leads out of the scratch folder: nobody's own files are read."""
        for field_ in self.app.screen.query(PathInput):
            path = Path(os.path.abspath(field_.path))
            if field_.value.strip() and not path.is_relative_to(self.ground.home):
                field_.query_one(Input).value = ""

    async def _drawn(self) -> None:
        """Waits until the screen is laid out, which takes a moment when the terminal's size has changed."""
        last = time.monotonic() + DRAWN_SECONDS
        while not self._has_left and (not lines(self.app) or (self._lacks_last_line and time.monotonic() < last)):
            await self.pilot.pause(0.02)

    @property
    def _lacks_last_line(self) -> bool:
        # Textual's own palette covers the line where it lists much.
        is_covered = isinstance(self.app.screen, CommandPalette) or self.app.size.height < 8
        return not is_covered and not lines(self.app)[-1].strip()

    def _look(self, where: str) -> None:
        """At the screen: texts are texts, and the line of keys tells something."""
        hidden = hidden_on_screen("\n".join(lines(self.app)).replace("\t", "�"))
        if hidden:
            raise WalkBroken(where, f"the screen holds what nobody sees: {self._place}", f"{sorted(hidden)}")
        for strip in self.app.screen._compositor.render_strips():
            for segment in strip:
                style = segment.style
                if style is None:
                    continue
                click = style.meta.get("@click")
                if style.link or style.blink or (click and not str(click).startswith(OWN_CLICKS)):
                    raise WalkBroken(where, f"a text acts: {self._place}", f"{segment.text!r} {style!r} {click!r}")
        if self.app.clipboard and "owned" in self.app.clipboard and "\x1b" in self.app.clipboard:
            raise WalkBroken(where, f"the clipboard holds a control: {self._place}")
        if self._lacks_last_line:
            raise WalkBroken(where, f"the last line is empty: {self._place}")

    @property
    def _question(self) -> Draft:
        return self._draft(QuestionBox, "chat")

    @property
    def _search_line(self) -> Draft:
        return self._draft(SearchLineInput, "search")

    def _draft(self, kind: type[QuestionBox] | type[SearchLineInput], mode: str) -> Draft:
        stack = self.app._screen_stacks.get(mode) or ()
        for found in stack[0].query(kind) if stack else ():
            has_focus = self.app.focused is found
            if isinstance(found, TextArea):
                return Draft(found.text, has_focus, (*found._asked, found._set_aside.strip()))
            return Draft(found.value, has_focus, ())
        return Draft("", False, ())

    def _compare(self, name: str, where: str, step: str, before: Draft, after: Draft) -> None:
        """Whether a text that was not sent is still there."""
        if before.text.strip() in (*after.asked, "") or before.text in after.text:
            return
        kind = step.partition("=")[0]
        edits = kind in ("type", "paste") or kind in EDITING | CHANGES_FIELD or len(kind) == 1
        if before.has_focus and edits:
            return
        raise WalkBroken(
            where, f"the {name} is lost by {kind}", f"{before.text[:60]!r}, now {after.text[:60]!r}: {self._place}"
        )

    async def _settle(self) -> None:
        """Waits until nothing is waited for."""
        while any(text in shown(self.app) for text in WAITING):
            await self.pilot.pause(0.05)

    async def _go_home(self) -> None:
        """By Escape and one key, as anybody would; without notes, home is the welcome."""
        for _ in range(12):
            if len(self.app.screen_stack) == 1:
                break
            await self._press("escape")
            await self.pilot.pause(0.05)
        if len(self.app.screen_stack) > 1:
            raise WalkBroken("going home,", f"escape does not close: {self._place}")
        await self._press("f2")
        while self.app.current_mode not in ("chat", "welcome"):
            await self.pilot.pause(0.05)
        if self.app.current_mode == "welcome":
            return
        await self._press("escape", "escape")
        if not self._question.has_focus:
            raise WalkBroken("going home,", "the question box has no focus", f"but {self.app.focused!r}")
        before = self._question.text
        await self._press("z")
        if self._question.text.count("z") != before.count("z") + 1:
            raise WalkBroken("going home,", "the question box takes no letter", repr(self._question.text))

    async def _leave(self) -> None:
        """By the key for it; pressed again where the program asks."""
        for _ in range(4):
            await self.pilot.press("ctrl+q")
            for _ in range(40):
                if self._has_left:
                    return
                await self.pilot.pause(0.05)
        raise WalkBroken("leaving,", f"the program does not end: {self._place}")


def take_walk(ground: WalkGround, walk: Walk) -> list[tuple[float, str]]:
    """Takes a walk through the application over a fresh vault; gives the slow steps.

    Raises:
        WalkBroken: something is wrong.
        Exception: whatever the application failed with.
    """
    slow: list[tuple[float, str]] = []

    async def go() -> None:
        with ground.app(walk.vault, has_model=walk.has_model, follows=walk.follows) as app:
            width, height = map(int, walk.size.split("x"))
            async with app.run_test(size=(width, height), notifications=True) as pilot:
                walker = Walker(ground, app, pilot, slow=slow)
                await walker.take(walk)

    folder = Path.cwd()
    try:
        asyncio.run(go())
    finally:
        os.chdir(folder)
    return slow
