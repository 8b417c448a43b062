"""What can be done with a hit: ask about it, open its file, copy it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noderag_local.domain.passages import Scope
from noderag_local.interfaces.tui.reader.navigation import Place
from noderag_local.interfaces.tui.shared.line_list import one_line
from noderag_local.interfaces.tui.shared.open_file import open_file
from noderag_local.system.printing.plain_text import printable
from noderag_local.vault.browsing.instant_search import HitKind, SearchHit

if TYPE_CHECKING:
    from textual.widget import Widget

    from noderag_local.interfaces.tui.shell.application import NoderagApp

NO_FILE = "This has no file of its own: open a document or a passage."


async def ask_about(app: NoderagApp, hit: SearchHit, place: Place | None) -> None:
    """Opens the chat, ready for a question about a hit.

    For a document or a passage the next questions are asked of its file alone. A name is put into the question box, unless
    something stands there already. A conversation is opened.

    Args:
        app: the application.
        hit: what the question will be about.
        place: place that is being read, which may lie in another document; None for the hit itself.
    """
    from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen

    await app.switch_mode("chat")
    chat = app.screen
    if not isinstance(chat, ChatScreen):
        return
    path = place.path if place is not None else hit.path
    if path:
        chat.choose(replace(chat.choices, scope=Scope(folder=path)))
        chat.notify("Questions go to this document alone. /scope all asks all notes again.", markup=False)
    elif hit.kind is HitKind.TALK:
        chat.open_conversation(hit.node)
    chat.begin_question("" if path or hit.kind is HitKind.TALK else f"What do my notes say about {one_line(hit.name)}?")


def open_hit_file(part: Widget, hit: SearchHit, place: Place | None) -> None:
    """Opens the file of a hit in the user's editor at its passage; arguments as for `ask_about`."""
    if place is None and hit.source is not None:
        place = Place(hit.source.path, hit.source.first_line, hit.source.place)
    if place is not None:
        open_file(part, place.path, place.line, place.place)
    elif hit.path:
        open_file(part, hit.path, 1)
    else:
        part.notify(NO_FILE, severity="warning", markup=False)


def copy_hit(part: Widget, hit: SearchHit) -> None:
    """Copies the passage, the path of a document, or a name."""
    if hit.source is not None:
        text, what = hit.source.text, "the passage"
    elif hit.path:
        text, what = hit.path, "the path"
    else:
        text, what = hit.name, "the name"
    part.app.copy_to_clipboard(printable(text))
    part.notify(f"Copied {what}.", markup=False)
