"""A web page as a tree that can be walked to any depth."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum

from selectolax.lexbor import LexborHTMLParser, LexborNode

from noderag_local.domain.errors import DocumentError

MAX_DEPTH = 3000
"""selectolax 1.0 takes time in the square of the depth: 0.2 s for 5,000 nested elements, 7 minutes for 200,000."""
MAX_ATTRIBUTES = 500
"""Of a tag; it also takes time in the square of their number."""

_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][^\s/>]{0,40})")
_CLOSED_BY_THE_NEXT = frozenset(
    "p li dt dd option optgroup tr td th thead tbody tfoot colgroup col rp rt br hr img input link meta area base embed "
    "source track wbr param".split()
)
_ATTRIBUTE = r"\s+[^\s<>=]+(?:=(?:\"[^\"]*\"|'[^']*'|[^\s<>\"']+))?"
_MANY_ATTRIBUTES = re.compile(rf"<[A-Za-z][^<>\s]*(?:{_ATTRIBUTE}){{{MAX_ATTRIBUTES}}}")


class Side(Enum):
    """What a step of a walk is."""

    ENTER = 0
    LEAVE = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class TreeStep:
    """One step of a walk through a tree."""

    side: Side
    node: LexborNode


def parsed(text: str) -> LexborHTMLParser:
    """The tree of a page.

    Raises:
        DocumentError: its elements are nested deeper, or have more attributes, than in any real page.
    """
    depths: Counter[str] = Counter()
    depth = 0
    for tag in _TAG.finditer(text):
        name = tag["name"].lower()
        if name in _CLOSED_BY_THE_NEXT:
            continue
        if not tag["close"]:
            depths[name] += 1
            depth += 1
        elif depths[name]:
            depths[name] -= 1
            depth -= 1
        if depth > MAX_DEPTH:
            raise DocumentError(f"its elements are nested more than {MAX_DEPTH} deep")
    if _MANY_ATTRIBUTES.search(text):
        raise DocumentError(f"one of its elements has more than {MAX_ATTRIBUTES} attributes")
    return LexborHTMLParser(text)


def walk(root: LexborNode, left_out: Collection[int] = ()) -> Iterator[TreeStep]:
    """Every element of a tree as it is entered and left, and every text between, in order.

    Args:
        root: entered first and left last.
        left_out: `mem_id` of elements that are passed over with all that is in them.
    """
    node: LexborNode | None = root
    while node is not None:
        if node.is_text_node:
            yield TreeStep(Side.TEXT, node)
        elif node.is_element_node and node.mem_id not in left_out:
            yield TreeStep(Side.ENTER, node)
            if node.first_child is not None:
                node = node.first_child
                continue
            yield TreeStep(Side.LEAVE, node)
        while node is not None and node.next is None:
            node = None if node.mem_id == root.mem_id else node.parent
            if node is None:
                return
            yield TreeStep(Side.LEAVE, node)
            if node.mem_id == root.mem_id:
                return
        if node is None or node.mem_id == root.mem_id:
            return
        node = node.next
