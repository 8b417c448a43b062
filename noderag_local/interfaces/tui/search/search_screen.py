"""The search: what names, words and meaning find for a line, from its first letter on, with a preview."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Static

from noderag_local.domain.errors import NoderagError, VaultMissing
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.search.filter_hints import FilterChoices, filter_hints
from noderag_local.interfaces.tui.search.found_lines import FoundLines, found_at_once, found_by_meaning
from noderag_local.interfaces.tui.search.hit_actions import ask_about, copy_hit, open_hit_file
from noderag_local.interfaces.tui.search.hit_list import HitList
from noderag_local.interfaces.tui.search.hit_preview import show_conversation, show_page
from noderag_local.interfaces.tui.search.search_line_input import SearchLineInput
from noderag_local.interfaces.tui.search.search_told import READING, empty_text, hinted, told_of
from noderag_local.interfaces.tui.shared.line_list import LineList
from noderag_local.interfaces.tui.shared.no_notes import NO_NOTES
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.interfaces.tui.shell.status_line import StatusLine
from noderag_local.retrieval.search_line import SearchLine, read_search_line
from noderag_local.vault.browsing.instant_search import HitKind, SearchHit
from noderag_local.vault.reader import FALLBACK_METHOD

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault

PREVIEW_SECONDS = 0.12
"""Seconds that the cursor must rest on a hit before it is shown beside the list."""
MEANING_PAUSE_SECONDS = 0.15
"""Seconds without a key before the search by meaning begins."""
FEWEST_LETTERS = 3
"""Letters that are searched for by meaning."""


class SearchScreen(Screen[None]):
    """Shows a line to type into, what it finds, and the hit under the cursor."""

    CSS_PATH = "search.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+a", "ask", "Ask", tooltip="Ask about this document", priority=True),
        Binding("ctrl+s", "sort", "Sort", tooltip="Sort by day, or as it fits", priority=True),
        Binding("ctrl+e", "edit", "Edit", tooltip="Open the file in your editor", priority=True),
        Binding("ctrl+y", "copy", "Copy", tooltip="Copy the passage", priority=True),
        Binding("escape", "back", "Back", show=False),
        Binding("backspace", "page_back", "Page before", show=False),
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.found = FoundLines(SearchLine(), ())
        """Everything that is listed."""
        self._choices: FilterChoices | None = None
        self._meaning = ""
        """State of the search by meaning, as the line below the search tells it."""
        self._listed_text = ""
        """Line whose hits are listed; while it is not what the field says, newer ones are looked for."""
        self._opens_first = False
        """Whether enter was pressed before the hits of the line were there."""
        self._is_by_day = False
        self._is_outdated = False
        self._resting: Timer | None = None
        self._previewed: tuple[SearchHit, str] | None = None
        """Hit that is shown beside the list, and the words that are marked in it."""

    @property
    def field(self) -> SearchLineInput:
        """The line that the search is typed into."""
        return self.query_one(SearchLineInput)

    @property
    def hit_list(self) -> HitList:
        """The list of what was found."""
        return self.query_one(HitList)

    @property
    def reader(self) -> NoteReader:
        """The preview, which is read in full after enter."""
        return self.query_one(NoteReader)

    @property
    def is_reading(self) -> bool:
        """Whether the preview has the focus."""
        return self.has_class("-reading")

    def compose(self) -> ComposeResult:
        """Lays out the line, the hits and the preview."""
        yield SearchLineInput()
        yield Static(READING, id="search-told")
        with Horizontal(id="search-body"):
            yield HitList()
            yield NoteReader()
        yield StatusLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Shows the documents that changed last, and the results again whenever notes change."""
        noderag_of(self).note_changes.subscribe(self, lambda _: self._notes_changed())
        self.field.focus()
        self._look()

    def begin_anew(self) -> None:
        """Focuses the line and selects its text, so that typing replaces it; closes a page that is read."""
        self.remove_class("-reading")
        # Not `Widget.focus`, which acts after the keys that were pressed meanwhile.
        self.set_focus(self.field)
        self.field.select_all()

    def on_screen_resume(self) -> None:
        """Shows what has changed while another screen was open."""
        if self._is_outdated:
            self._notes_changed()

    def _notes_changed(self) -> None:
        self._is_outdated = not self.is_current
        if self.is_current:
            self._choices = None
            self._look(is_same=True)
            if self.is_reading:
                self.reader.refresh_page()

    @on(Input.Changed, "#search-line")
    def _typed(self) -> None:
        self._look()

    @work(exclusive=True, group="look")
    async def _look(self, *, is_same: bool = False) -> None:
        """Shows what the line finds; the next key cancels it, so that older results never come after newer ones.

        Args:
            is_same: whether only the notes have changed, and the cursor stays on its hit.
        """
        text, session = self.field.value, noderag_of(self).session
        self._meaning, self._opens_first = "", False
        try:
            if self._choices is None:
                self._choices = await session.read(_choices)
            self.field.hints = filter_hints(text, self._choices)
            line = read_search_line(text)
            found = await session.read(lambda vault: found_at_once(vault, line))
        except VaultMissing:
            self._refuse(NO_NOTES)
        except NoderagError as error:
            self._refuse(str(error))
        else:
            self._listed_text = text
            self._show(found, keeps_cursor=is_same)
            if self._opens_first:
                self._opens_first = False
                await self._open()
            await self._look_by_meaning(found)

    async def _look_by_meaning(self, found: FoundLines) -> None:
        from noderag_local.retrieval.retriever import asks_model

        line, session = found.line, noderag_of(self).session
        if sum(map(str.isalnum, line.words)) < FEWEST_LETTERS:
            return
        if asks_model(session.settings.method):
            self._tell_meaning("not by meaning: the method asks the language model")
            return
        self._tell_meaning("by meaning: coming …")
        await asyncio.sleep(MEANING_PAUSE_SECONDS)
        if session.is_asked:
            self._tell_meaning("not by meaning while an answer is written")
            return
        try:
            retrieval = await session.search(line.words, scope=line.scope)
            whole = await session.read(lambda vault: found_by_meaning(vault, retrieval, found))
        except NoderagError as error:
            self._tell_meaning(f"not by meaning: {error}")
            return
        if retrieval.method == FALLBACK_METHOD != session.settings.method:
            self._tell_meaning("not by meaning: indexing has not come to its end")
            return
        self._meaning = f"by meaning: {whole.count(HitKind.MEANING)} more"
        self._show(whole, keeps_cursor=True)

    def _show(self, found: FoundLines, *, keeps_cursor: bool) -> None:
        self.found = found
        hits = self.hit_list
        hits.empty = empty_text(found)
        hits.show(
            found.ordered(by_day=self._is_by_day),
            found.line.words.split(),
            keeps_cursor=keeps_cursor,
            is_by_day=self._is_by_day,
        )
        if not hits.hits:
            self._previewed = None
            self.reader.show_lines([])
        self._tell()

    def _tell(self) -> None:
        self._tell_line(told_of(self.found, self._meaning, by_day=self._is_by_day))

    def _tell_line(self, told: Content) -> None:
        """Shows the completions of a filter that is being typed, if there are some, and a text."""
        hints = self.field.hints
        parts = [hinted(hints), told] if hints else [told]
        self.query_one("#search-told", Static).update(Content(" · ").join(part for part in parts if part))

    def _tell_meaning(self, state: str) -> None:
        self._meaning = state
        self._tell()

    def _tell_error(self, why: str) -> None:
        """Shows what is wrong, unless the end of the line can be completed."""
        self._tell_line(Content("") if self.field.hints else on_one_line(why, "$text-error"))

    def _refuse(self, why: str) -> None:
        """Shows what is wrong with the line, for which nothing is listed; while its end can be completed, the list stays."""
        self._tell_error(why)
        if self.field.hints:
            return
        self.found, self._previewed = FoundLines(SearchLine(), ()), None
        self.hit_list.empty = ""
        self.hit_list.show([], [], keeps_cursor=False)
        self.reader.show_lines([])

    @on(LineList.Highlighted)
    def _highlighted(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        if not self.is_reading:
            self._resting = self.set_timer(PREVIEW_SECONDS, self._preview)

    def _preview(self) -> None:
        """Shows the hit under the cursor beside the list, unless it is shown already."""
        hit, words = self.hit_list.hit, self.found.line.words
        if hit is None or self._previewed == (hit, words):
            return
        self._previewed = hit, words
        if hit.kind is HitKind.TALK:
            self._show_conversation(hit, words.split())
        else:
            show_page(self.reader, hit, tuple(words.split()))

    @work(exclusive=True, group="conversation")
    async def _show_conversation(self, hit: SearchHit, words: list[str]) -> None:
        try:
            turns = await noderag_of(self).session.read(lambda vault: vault.conversations.turns(hit.node))
        except NoderagError as error:
            self._tell_error(str(error))
            return
        if self._previewed is not None and self._previewed[0] == hit:
            show_conversation(self.reader, hit, turns, words)

    @on(Input.Submitted, "#search-line")
    async def _entered(self) -> None:
        """Opens the hit under the cursor; a quick typist's enter waits for the hits of the line that was typed."""
        if self.field.value == self._listed_text:
            await self._open()
        else:
            self._opens_first = True

    @on(LineList.Chosen)
    async def _open(self) -> None:
        """Reads the hit under the cursor; a conversation opens in the chat."""
        hit = self.hit_list.hit
        if hit is None:
            return
        if hit.kind is HitKind.TALK:
            await self._open_conversation(hit.node)
            return
        self._preview()
        self._begin_reading()

    @on(SearchLineInput.Left)
    def _left(self) -> None:
        if self.hit_list.hit is not None:
            self._preview()
            self._begin_reading()

    def _begin_reading(self) -> None:
        self.add_class("-reading")
        self.reader.focus_shown()

    async def _open_conversation(self, number: int) -> None:
        from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen

        await self.app.switch_mode("chat")
        if isinstance(self.app.screen, ChatScreen):
            self.app.screen.open_conversation(number)

    def action_move(self, by: int) -> None:
        """Moves the cursor of the list."""
        self.hit_list.action_move(by)

    def action_page(self, by: int) -> None:
        """Moves the cursor of the list by pages."""
        self.hit_list.action_page(by)

    def action_sort(self) -> None:
        """Orders the list by day, or again as the hits fit."""
        self._is_by_day = not self._is_by_day
        if self.hit_list.hits:
            self._show(self.found, keeps_cursor=True)

    def action_back(self) -> None:
        """Goes back from the preview to the line; from the line, to the screen that was open before."""
        if self.is_reading:
            self.action_page_back()
        else:
            self.app.switch_mode(noderag_of(self).mode_before)

    def action_page_back(self) -> None:
        """Goes back one page of the preview; from the first one, to the line."""
        if self.is_reading and not self.reader.back():
            self.remove_class("-reading")
            self.field.focus()

    async def action_ask(self) -> None:
        """Goes to the chat, where the next questions are asked about the document or entity under the cursor."""
        if (hit := self.hit_list.hit) is not None:
            await ask_about(noderag_of(self), hit, self.reader.place if self.is_reading else None)

    def action_edit(self) -> None:
        """Opens the file of the hit in the user's editor, at the passage."""
        if (hit := self.hit_list.hit) is not None:
            open_hit_file(self, hit, self.reader.place if self.is_reading else None)

    def action_copy(self) -> None:
        """Copies the passage, or what else names the hit; while a page is read, what the reader copies."""
        if self.is_reading:
            self.reader.action_copy()
        elif (hit := self.hit_list.hit) is not None:
            copy_hit(self, hit)


def _choices(vault: Vault) -> FilterChoices:
    return FilterChoices(vault.atlas.scope_choices(), tuple(vault.atlas.instant_search().kinds))
