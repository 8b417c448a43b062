"""Reads the pages of the manual and their sections."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import NamedTuple

CONTENTS = "contents"
"""Name of the page that lists all others, in the order in which a newcomer reads them."""

_LISTED = re.compile(r"^\| \[[^]]+\]\(([a-z-]+)\.md\)", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,3}) (.+)$")
_FENCE = "```"


class ManualPage(NamedTuple):
    """A page of the manual."""

    name: str
    """Name of its file without the suffix, such as "settings"."""
    title: str
    summary: str
    """Paragraph below the title: one sentence about the page's topic."""
    text: str
    """Whole text of the page as Markdown."""


class ManualSection(NamedTuple):
    """A heading of a page with the text below it, up to the next heading of the same or a higher level."""

    page: str
    """Name of the page."""
    title: str
    """Heading without Markdown markup, such as "noderag forget"."""
    text: str
    """Heading and text as Markdown."""

    @property
    def anchor(self) -> str:
        """Returns the fragment of a link to the heading, as GitHub and Textual write it: "noderag-forget"."""
        return anchor_of(self.title)


@cache
def pages() -> tuple[ManualPage, ...]:
    """Returns all pages in the order of the contents page, which comes first."""
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
    """Returns the sections of all pages in reading order, including those of the titles."""
    return tuple(section for one in pages() for section in _sections_of(one))


def linked(target: str, origin: str = CONTENTS) -> ManualSection | None:
    """Returns the section that a link leads to, such as "settings.md", "commands.md#noderag-forget" or "#noderag-forget".

    Args:
        target: target of the link.
        origin: name of the page with the link.

    Returns:
        The section; None if the link leads out of the manual.
    """
    path, _, anchor = target.partition("#")
    name = path.removesuffix(".md") or origin
    return next((one for one in sections() if one.page == name and anchor in ("", one.anchor)), None)


def anchor_of(title: str) -> str:
    """Returns the anchor of a heading: lower case, spaces as hyphens, without punctuation."""
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
    """Returns (row, level from 1, title) of each heading, without comments in code blocks."""
    found, in_code = [], False
    for row, line in enumerate(lines):
        in_code ^= line.startswith(_FENCE)
        if not in_code and (heading := _HEADING.match(line)):
            found.append((row, len(heading[1]), heading[2].replace("`", "")))
    return found
