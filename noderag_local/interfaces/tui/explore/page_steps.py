"""Where one can go from a line of a page."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source


@dataclass(frozen=True, slots=True)
class NavigationStep:
    """A page to walk to."""

    type: NodeType
    """DOCUMENT, ENTITY or COMMUNITY"""
    node: int
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, or what stands for it, whose sentences are to be looked up first."""

    path: str
    line: int
    """0 where the file has no lines."""
    place: str = ""
    """As of a records.Passage."""


Target = NavigationStep | Place | Source
"""A page, or a place in the notes that is shown beside it."""
