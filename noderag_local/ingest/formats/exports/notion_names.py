"""Removes the identifiers from names in Notion's exports: "Bread 0123456789abcdef0123456789abcdef.md"."""

from __future__ import annotations

import re
from urllib.parse import unquote

from noderag_local.domain.documents import WikiLink

TAG_PROPERTIES = frozenset("tags tag labels schlagwörter étiquettes etiquetas etichette".split())
"""Names of the property with the tags of a page, in lower case."""

_ID = re.compile(r" [0-9a-f]{32}(?:_all)?(?=\.\w{1,5}$|/|$)")
_PAGE = re.compile(r"\.(?:md|html|csv)$", re.IGNORECASE)


def without_ids(path: str) -> str:
    """Returns a path or name without identifiers: "Recipes/Bread.md"."""
    return _ID.sub("", path)


def page_name(path: str) -> str:
    """Returns the name of a page from the name of its file: "Bread"."""
    return _PAGE.sub("", without_ids(path.rpartition("/")[2]))


def page_link(address: str, label: str) -> WikiLink | None:
    """Returns the link to another page of the same export; None if the address leads elsewhere.

    Args:
        address: address in the page, such as "Recipes/Bread%20….md".
        label: text of the link.
    """
    path = unquote(address.partition("#")[0])
    if "://" in path or not _PAGE.search(path) or not _ID.search(path.rpartition("/")[2]):
        return None
    name = page_name(path)
    return WikiLink(name, label or name)


def tags_of(name: str, value: str) -> list[str]:
    """Returns the tags in a property of a page; empty if it is another property."""
    is_tags = name.strip().lower() in TAG_PROPERTIES
    return [tag for part in value.split(",") if (tag := part.strip())] if is_tags else []
