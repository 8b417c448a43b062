"""Properties of Logseq's pages and blocks, which are lines `key:: value`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PAGE_LINE = re.compile(
    r"(?:- )?(?P<key>title|alias|aliases|tags|type|public|filters|icon|exclude-from-graph-view)::"
    r"[ \t]*(?P<value>[^\n]*)(?:\n|\Z)",
    re.IGNORECASE,
)
_BLOCK_ID = re.compile(
    r"^[ \t]*(?:- )?id::[ \t]*(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[ \t]*$", re.MULTILINE
)
_BRACKETS = re.compile(r"#?\[\[|\]\]")


@dataclass(frozen=True, slots=True)
class PageProperties:
    """Properties in the first lines of a page."""

    end: int = 0
    """Characters that they take at the start of the text."""
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def page_properties(text: str) -> PageProperties:
    """The properties at the start of a text; the first line that is none of those known ends them."""
    found: dict[str, str] = {}
    end = 0
    while line := _PAGE_LINE.match(text, end):
        found[line["key"].lower()] = line["value"]
        end = line.end()
    tags = (tag.lstrip("#") for tag in _names(found.get("tags", "")))
    aliases = _names(f"{found.get('alias', '')},{found.get('aliases', '')}")
    return PageProperties(end, _BRACKETS.sub("", found.get("title", "")).strip(), tuple(filter(None, tags)), aliases)


def block_ids(text: str) -> tuple[str, ...]:
    """Identifiers of blocks that others refer to; a reference leads to the note that holds the block."""
    return tuple(dict.fromkeys(match["id"] for match in _BLOCK_ID.finditer(text))) if "id::" in text else ()


def _names(value: str) -> tuple[str, ...]:
    names = (" ".join(_BRACKETS.sub("", name).split()) for name in value.split(","))
    return tuple(dict.fromkeys(name for name in names if name))
