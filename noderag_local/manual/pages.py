"""The pages of the manual and their sections."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import NamedTuple

CONTENTS = "contents"
"""The page that lists all others, in the order in which a newcomer reads them."""

_LISTED = re.compile(r"^\| \[[^]]+\]\(([a-z-]+)\.md\)", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,3}) (.+)$")
_FENCE = "```"


class ManualPage(NamedTuple):
    """One page."""

    name: str
    """Name of its file without the ending: "settings"."""
    title: str
    summary: str
    """The paragraph under the title: one sentence that says what the page is about."""
    text: str
    """All of it, as Markdown."""


class ManualSection(NamedTuple):
    """A heading of a page with the text below it, up to the next heading of the same or a higher level."""

    page: str
    """Name of the page."""
    title: str
    """The heading without Markdown marks: "noderag forget"."""
    text: str
    """The heading and what follows, as Markdown."""

    @property
    def anchor(self) -> str:
        """Returns the end of a link to the heading, as GitHub and Textual write it: "noderag-forget"."""
        return anchor_of(self.title)


@cache
def pages() -> tuple[ManualPage, ...]:
    """Returns all pages, in the order of the contents, which come first."""
    contents = page(CONTENTS)
    return (contents, *(page(name) for name in _LISTED.findall(contents.text)))


@cache
def page(name: str) -> ManualPage:
    """Returns the page of this name.

    Raises:
        FileNotFoundError: there is no such page.
    """
    text = resources.files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    title, summary = text.split("\n\n")[:2]
    return ManualPage(name, title.removeprefix("# ").strip(), " ".join(summary.replace("`", "").split()), text)


@cache
def sections() -> tuple[ManualSection, ...]:
    """Returns the sections of all pages, the title's included, in reading order."""
    return tuple(section for one in pages() for section in _sections_of(one))


def linked(target: str, origin: str = CONTENTS) -> ManualSection | None:
    """Returns the section that a link leads to: "settings.md", "commands.md#noderag-forget", "#noderag-forget".

    Args:
        target: what the link names.
        origin: name of the page that holds the link.

    Returns:
        The section; None where the link leads out of the manual.
    """
    path, _, anchor = target.partition("#")
    name = path.removesuffix(".md") or origin
    return next((one for one in sections() if one.page == name and anchor in ("", one.anchor)), None)


def anchor_of(title: str) -> str:
    """Returns the anchor of a heading: lower case, blanks as hyphens, without punctuation."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _sections_of(one: ManualPage) -> list[ManualSection]:
    lines = one.text.splitlines()
    headings = _headings(lines)
    found = []
    for number, (start, level, title) in enumerate(headings):
        later = (row for row, other, _ in headings[number + 1 :] if other <= level)
        end = next(later, len(lines))
        found.append(ManualSection(one.name, title, "\n".join(lines[start:end]).rstrip() + "\n"))
    return found


def _headings(lines: list[str]) -> list[tuple[int, int, str]]:
    """Returns (row, level from 1, title) of each heading; a comment in a code block is no heading."""
    found, in_code = [], False
    for row, line in enumerate(lines):
        in_code ^= line.startswith(_FENCE)
        if not in_code and (heading := _HEADING.match(line)):
            found.append((row, len(heading[1]), heading[2].replace("`", "")))
    return found
