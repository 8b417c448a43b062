"""Makes keys act in the order in which they were pressed, also when many arrive at once.

Textual hands a letter to the focused widget, and runs the binding of any other key only when the key has come back from there.
If a program was busy for a moment and several keys wait, the letters behind such a key are typed before it acts: "teh", twice
backspace and "he" becomes "teh". What is typed right after F7 goes to the screen before.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from textual import events
from textual.app import App
from textual.widget import Widget
from textual.widgets import Input, TextArea

PATIENCE_SECONDS = 1.0
"""Seconds to wait for a field to take the letters before a key. It never comes to that, but keys must not be stuck for ever."""


async def acted_in_order(app: App[None], event: events.Key) -> bool:
    """Runs the binding of a key after all letters before it; returns False if the focused widget is to get the key."""
    if not app.app_focus or _is_text(event, app.focused):
        return False
    if app.focused is not None:
        await _has_taken_all(app.focused)
    active = app.screen.active_bindings.get(event.key)
    if active is None or not active.enabled:
        return False
    return await app.run_action(active.binding.action, active.node)


def _is_text(event: events.Key, focused: Widget | None) -> bool:
    """Returns whether a widget may take the key as text: a field any character, a list a letter, which begins a search."""
    if event.character is None or not event.is_printable:
        return False
    return isinstance(focused, Input | TextArea) or event.character.isalpha()


async def _has_taken_all(widget: Widget) -> None:
    done = asyncio.Event()
    if widget.call_later(done.set):
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), PATIENCE_SECONDS)
