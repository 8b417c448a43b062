"""Finds the part of a web page that is its text: menus, banners and footers are left out.

The rule, in order: elements that never hold text go; then those whose role, class or name says that they are not the
text, unless a good part of the page's words stands in them. The page's own `main` or `article` is taken where it holds
a good part of what is left; where it is one of several posts, the element around them. In a page without one, what is
mostly links goes too (in a text, it is a list of sources).
"""

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
"""Most attributes of a tag; selectolax takes time in the square of their number, too."""

_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][^\s/>]{0,40})")
_CLOSED_BY_THE_NEXT = frozenset(
    "p li dt dd option optgroup tr td th thead tbody tfoot colgroup col rp rt br hr img input link meta area base embed "
    "source track wbr param".split()
)
_ATTRIBUTE = r"\s+[^\s<>=]+(?:=(?:\"[^\"]*\"|'[^']*'|[^\s<>\"']+))?"
_MANY_ATTRIBUTES = re.compile(rf"<[A-Za-z][^<>\s]*(?:{_ATTRIBUTE}){{{MAX_ATTRIBUTES}}}")
NEVER_TEXT = (
    "script, style, template, noscript, svg, math annotation, iframe, object, embed, canvas, audio, video, picture, "
    "head, input, select, textarea, button, dialog, [hidden], [aria-hidden=true], a.headerlink"
)
NOT_THE_TEXT = (
    "nav, aside, body > header, body > footer, [role=navigation], [role=banner], [role=contentinfo], [role=search], "
    "[role=complementary], [role=menu], [role=menubar], [role=dialog], [role=alertdialog], [role=doc-toc]"
)
MAIN = (
    "main, [role=main], article, [itemprop=articleBody], #content, #main, #bodyContent, .markdown-body, .post-content"
)
POSTS = "article, .markdown-body, .post-content"
"""Elements that may stand several times on a page, as the posts of a thread; all of them are its text."""
MOST_LINKED_SHARE = 0.7
MIN_LINKS = 4
LEAST_MARKED_SHARE = 0.3
"""Least share of a page's words that its main element must hold; a teaser may be marked as an article too."""
MOST_DROPPED_SHARE = 0.4
"""Largest share of a page's words that may be dropped; an element with more is text, whatever it is called."""
_NAMED_LIKE_FRAME = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|cookies?|consent|banner|share|sharing|social|"
    r"newsletter|subscribe|promo|advert(?:isement)?|ads?|popup|modal|pagination|pager|toc|skip-link|related|footer|"
    r"mw-editsection|mw-jump-link|noprint|sphinxsidebar)(?:$|[\s_-])",
    re.IGNORECASE,
)


class Side(Enum):
    """Kind of a step of a walk."""

    ENTER = 0
    LEAVE = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class TreeStep:
    """One step of a walk through a tree."""

    side: Side
    node: LexborNode


def parsed(text: str) -> LexborHTMLParser:
    """Returns the tree of a page.

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
    """Yields every element of a tree as it is entered and left, and every text between, in order.

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


@dataclass(slots=True)
class _Amount:
    """Amount of text in an element, in characters without white space."""

    text: int = 0
    linked: int = 0
    links: int = 0
    depth: int = 0
    """Number of elements around it."""


@dataclass(frozen=True, slots=True)
class Content:
    """The element that holds the text of a page, and what in it is no text."""

    root: LexborNode
    left_out: frozenset[int]
    """`mem_id` of the elements that are no text."""


def main_content(page: LexborHTMLParser) -> Content | None:
    """Returns the text of a page without menus and the like; None for an empty page."""
    body = page.body
    if body is None:
        return None
    left_out = {node.mem_id for node in page.css(NEVER_TEXT)}
    amounts = _amounts(body, left_out)
    most = MOST_DROPPED_SHARE * amounts[body.mem_id].text
    named = [node for node in body.css("[class], [id]") if _NAMED_LIKE_FRAME.search(_names(node))]
    left_out |= {node.mem_id for node in (*body.css(NOT_THE_TEXT), *named) if _text_in(amounts, node) <= most}
    amounts = _amounts(body, left_out)
    marked = max(body.css(MAIN), key=lambda node: _text_in(amounts, node), default=body)
    if _text_in(amounts, marked) >= LEAST_MARKED_SHARE * amounts[body.mem_id].text:
        return Content(_around_posts(body, marked, amounts), frozenset(left_out))
    linked = [node for node in body.css("ul, ol, table, div, p") if _is_mostly_links(amounts.get(node.mem_id))]
    return Content(body, frozenset(left_out | {node.mem_id for node in linked if _text_in(amounts, node) <= most}))


def _around_posts(body: LexborNode, marked: LexborNode, amounts: dict[int, _Amount]) -> LexborNode:
    """Returns the innermost element around a post and the others of its thread; an element that is alone as it is.

    The posts of a thread stand at one depth. What is mostly a link there is a teaser of another page.
    """
    posts = {post.mem_id: post for post in body.css(POSTS) if _text_in(amounts, post)}
    if marked.mem_id not in posts:
        return marked
    depth = amounts[marked.mem_id].depth
    level = {
        number: post
        for number, post in posts.items()
        if post.tag == marked.tag and amounts[number].depth == depth and not _is_teaser(amounts[number])
    }
    level[marked.mem_id] = marked
    while len(level) > 1:
        level = {above.mem_id: above for post in level.values() if (above := post.parent) is not None}
    return next(iter(level.values()))


def whole_content(page: LexborHTMLParser, without: str) -> Content | None:
    """Returns all text of a page, such as a mail's, which has no menus; None for an empty page.

    Args:
        page: tree of the page.
        without: selector of elements to leave out; "" for none.
    """
    selector = f"{NEVER_TEXT}, {without}" if without else NEVER_TEXT
    left_out = frozenset(node.mem_id for node in page.css(selector))
    return None if page.body is None else Content(page.body, left_out)


def _text_in(amounts: dict[int, _Amount], node: LexborNode) -> int:
    """Returns the characters in an element; 0 if it is inside one that is left out."""
    found = amounts.get(node.mem_id)
    return found.text if found else 0


def _names(node: LexborNode) -> str:
    return f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"


def _is_mostly_links(amount: _Amount | None) -> bool:
    return amount is not None and amount.links >= MIN_LINKS and amount.linked >= MOST_LINKED_SHARE * amount.text


def _is_teaser(amount: _Amount) -> bool:
    return amount.linked >= MOST_LINKED_SHARE * amount.text


def _amounts(body: LexborNode, left_out: set[int]) -> dict[int, _Amount]:
    """Returns the amount of text in each element that is not left out, by `mem_id`, in one walk."""
    amounts: dict[int, _Amount] = {}
    open_elements: list[_Amount] = []
    in_links = 0
    for step in walk(body, left_out):
        if step.side is Side.ENTER:
            open_elements.append(_Amount(depth=len(open_elements)))
            amounts[step.node.mem_id] = open_elements[-1]
            in_links += step.node.tag == "a"
        elif step.side is Side.TEXT:
            size = len("".join((step.node.text_content or "").split()))
            open_elements[-1].text += size
            open_elements[-1].linked += size if in_links else 0
        else:
            inner = open_elements.pop()
            is_link = step.node.tag == "a"
            in_links -= is_link
            if open_elements:
                outer = open_elements[-1]
                outer.text += inner.text
                outer.linked += inner.linked
                outer.links += inner.links + is_link
    return amounts
