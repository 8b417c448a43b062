"""Finds the application of a screen or widget."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from noderag_local.interfaces.tui.shell.application import NoderagApp


def noderag_of(part: MessagePump) -> NoderagApp:
    """Returns the application with its own type; Textual knows it as `App[object]`."""
    return cast("NoderagApp", part.app)
