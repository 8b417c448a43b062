"""What stands on the screen, as a person or a screen reader meets it."""

from __future__ import annotations

from collections import Counter

from textual.app import App

from noderag_local.system.printing.plain_text import printable


def lines(app: App[None]) -> list[str]:
    """The screen's text, from top to bottom."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def shown(app: App[None]) -> str:
    """The screen's text in one string."""
    return "\n".join(lines(app))


def words(app: App[None]) -> str:
    """The screen's words on one line, without what boxes are drawn with: for texts that are wrapped."""
    return " ".join(word for word in shown(app).split() if not set(word) <= set("│─╭╮╰╯▏▎▊▁▔"))


def toasts(app: App[None]) -> list[str]:
    """Title and text of each note in the corner, the oldest first; they come under `run_test(notifications=True)`."""
    return [str(toast.render()) for toast in app.screen.query("Toast")]


def raw_controls(app: App[None]) -> set[str]:
    """Everything on the screen that a terminal would obey or nobody sees; what letters and emoji need is none of it."""
    shown = lines(app)
    return {sign for line in shown for sign in Counter(line) - Counter(printable(line))} | {*"\n\t"} & {*"".join(shown)}
