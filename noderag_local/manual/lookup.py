"""Finds pages and sections of the manual by name, by words or by similar spelling."""

from __future__ import annotations

import difflib
import re
from functools import cache
from typing import NamedTuple

from noderag_local.manual.pages import ManualSection, pages, sections

COMMAND = "noderag "
"""Prefix of the headings of commands."""
NEAREST = 5
MOST_HITS = 50
_MARKS = re.compile(r"\]\([^)]*\)|[`*|\[\]]+")
_RULE = re.compile(r"^[\s|:-]+$")


class ManualHit(NamedTuple):
    """A section that contains the words of a search."""

    section: ManualSection
    line: str
    """First sentence or table row that contains one of the words; the section's first one if its heading contains them."""


def find(topic: str) -> ManualSection | None:
    """Returns the section that a topic names: a page, a command with or without "noderag", or any heading.

    Capitals, hyphens and the ending ".md" do not matter.
    """
    wanted = _folded(topic)
    for one in pages():
        if wanted == _folded(one.name):
            return next(section for section in sections() if section.page == one.name)
    for section in sections():
        if wanted in (_folded(section.title), _folded(section.title.removeprefix(COMMAND))):
            return section
    return None


def nearest(topic: str) -> tuple[str, ...]:
    """Returns topics with a similar spelling or containing the word, best first; at most NEAREST."""
    wanted = _folded(topic)
    names: dict[str, str] = {}
    for name in _topics():
        names.setdefault(_folded(name), name)
    holding = [known for known in names if wanted and wanted in known]
    alike = difflib.get_close_matches(wanted, names, n=NEAREST, cutoff=0.5)
    mentioned = [_folded(hit.section.title.removeprefix(COMMAND)) for hit in search(topic)]
    found = dict.fromkeys(known for known in [*alike, *holding, *mentioned] if known in names)
    return tuple(names[known] for known in found)[:NEAREST]


def search(words: str) -> tuple[ManualHit, ...]:
    """Returns the sections that contain all words, first those with the words in their heading; at most MOST_HITS.

    A section is left out if it only contains the words in one of its own subsections.
    """
    wanted = words.lower().split()
    if not wanted:
        return ()
    hits = [hit for section in sections() if (hit := _hit(section, wanted))]
    hits.sort(key=lambda hit: _misses(hit.section.title, wanted))
    return tuple(hits[:MOST_HITS])


def _hit(section: ManualSection, wanted: list[str]) -> ManualHit | None:
    if not all(word in _own_text(section).lower() for word in wanted):
        return None
    lines = _statements(section)
    if not _misses(section.title, wanted):
        return ManualHit(section, next(iter(lines), ""))
    return ManualHit(section, next((line for line in lines if any(word in line.lower() for word in wanted)), ""))


@cache
def _statements(section: ManualSection) -> tuple[str, ...]:
    """Returns the sentences, table rows and list items of a section, without Markdown markup."""
    below = _own_text(section).partition("\n")[2]
    parts = re.split(r"\n\s*\n|\n(?=[|\-]|\d\. )", below)
    plain = (_plain(part) for part in parts if not _RULE.match(part))
    return tuple(one for part in plain for one in re.split(r"(?<=[.:]) (?=[A-Z])", part) if one)


@cache
def _own_text(section: ManualSection) -> str:
    """Returns the heading of a section and the text before the next heading below it."""
    inner = [other.text for other in sections() if other.page == section.page and other.text in section.text[1:]]
    own = section.text
    for text in inner:
        own = own.replace(text.rstrip(), "")
    return own


def _misses(title: str, wanted: list[str]) -> int:
    """Returns the number of words that a heading lacks."""
    return sum(word not in title.lower() for word in wanted)


def _topics() -> list[str]:
    headings = (section.title.removeprefix(COMMAND) for section in sections() if section.title.startswith(COMMAND))
    return [*(one.name for one in pages()), *headings, *(section.title for section in sections())]


def _folded(name: str) -> str:
    return " ".join(name.lower().removesuffix(".md").replace("-", " ").replace("?", "").split())


def _plain(line: str) -> str:
    return " ".join(_MARKS.sub(" ", line.lstrip("#-")).split())
