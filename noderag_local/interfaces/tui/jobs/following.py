"""The status of following the folders, and messages about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from textual.message import Message

from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.plain_text import printable


class FollowState(StrEnum):
    """States of following."""

    OFF = "off"
    FOLLOWING = "following"
    READING = "reading"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class FollowingStatus:
    """State of following, as the status line shows it."""

    state: FollowState = FollowState.OFF
    paths: int = 0
    """Folders and files that are followed; 0 while that is not known."""
    files: int = 0
    """Being read."""
    line: str = ""
    """Progress of reading, or what following waits for."""
    up_to_date: str = ""
    """When the last change was read: "14:02"; "" before the first."""


NOT_FOLLOWING = FollowingStatus()


class FollowChanged(Message):
    """Posted when the status of following changes."""

    def __init__(self, following: FollowingStatus) -> None:
        self.following = following
        super().__init__()


class NotesChanged(Message):
    """Posted when following has changed the notes in the vault."""


class NotFollowed(Message):
    """Posted once when something cannot be read, or not at the moment."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__()


def in_words(following: FollowingStatus) -> str:
    """Returns the status in one line; "" if nothing is followed."""
    line = " ".join(printable(following.line).split())
    match following.state:
        case FollowState.READING:
            return " · ".join(filter(None, [f"↻ reading {counted(following.files, 'changed files')}", line]))
        case FollowState.WAITING:
            return f"‖ {line}"
        case FollowState.FOLLOWING if following.paths:
            told = f"following {counted(following.paths, 'folders')}"
            return f"{told} · up to date {following.up_to_date}" if following.up_to_date else told
    return ""
