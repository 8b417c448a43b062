"""Removes web addresses from what the model reads, and from answers unless a note contains them.

A note can ask for an address to be put into the answer, and many terminals open an address at a click. A model cannot copy
an address that it has not read, and one that it makes up is removed. The citation still opens the source, which shows the
address. A question that asks for an address gets those of the notes. Every pattern takes linear time: each repetition is
bounded or ends at the character that would start it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

STAND_IN = "[link]"
"""Text that replaces an address."""

_COLON = r"(?:[:：﹕]|&colon;|&#0{0,4}58;|&#x0{0,4}3a;|%3a)"
_SLASH = r"(?:[/\\／＼⁄∕]|&sol;|&bsol;|&#0{0,4}47;|&#x0{0,4}2f;|%2f|%5c)"
_DOT = r"(?:\.|(?<=[a-z0-9])[。．｡](?=[a-z0-9])|&period;|&#0{0,4}46;|&#x0{0,4}2e;|%2e)"
_REST = r"[^\s<>\"'\])}]"
"""A character that can continue an address."""
_ENDS = r"(?<![.,;:!?])"
"""Punctuation that ends a sentence does not belong to the address before it."""
_SIX = r"(?:\[[0-9a-f:.]{0,45}\])?"
"""An IPv6 address in brackets instead of a host name."""
_PORT = r"(?::\d{1,5})?"
_TOP = r"(?-i:[a-z]{2,24}|[A-Z]{2,24}|xn--[a-z0-9-]{2,59}|[^\W\d_\x00-\x7f]{2,24})(?![\w-])"
"""The last part of a host name, in one case, so that "Dr.Larsen/Anna" is not an address."""
_USUAL_TOP = (
    r"(?-i:com|org|net|edu|gov|mil|biz|xyz|io|ai|dev|eu|uk|de|fr|es|nl|ch|pl|ru|ua|cz|se|dk|fi|pt|gr|br|cn|jp|kr|tw|au|nz|mx|za"
    r"|example|onion)(?![\w-])"
)
"""Top-level domains that are recognised without a path; with any other, "notes.md" and "self.name" would count as hosts."""
_NO_WORD = r"(?<![\w.:/@-])"
_ADDRESS = "|".join(
    (
        rf"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{{1,30}}{_COLON}{_SLASH}{{2}}{_SIX}{_REST}+{_ENDS}",
        rf"{_COLON}/{{2}}{_SIX}{_REST}+{_ENDS}",
        rf"(?:mailto|javascript|vbscript|blob|view-source|magnet|https?|ftps?){_COLON}{_REST}{{3,}}{_ENDS}",
        rf"file{_COLON}{_SLASH}{_REST}+{_ENDS}",
        rf"(?<![a-z0-9])data{_COLON}[a-z]{{0,20}}[/,;]{_REST}+{_ENDS}",
        rf"(?<![a-z0-9])(?:www\d{{0,3}}|ftp{_DOT}[\w-]{{1,63}}){_DOT}{_REST}{{3,}}{_ENDS}",
        rf"(?<![\w:/.\\])//[\w-]{{1,63}}{_DOT}{_REST}{{2,}}{_ENDS}",
        rf"(?<![\w.:/-])(?:[\w-]{{1,63}}{_DOT}){{1,126}}{_TOP}{_PORT}[/?\\／]{_REST}+{_ENDS}",
        rf"{_NO_WORD}(?:localhost|\d{{1,3}}(?:\.\d{{1,3}}){{3}}){_PORT}/(?!\d{{1,2}}(?!\w)){_REST}+{_ENDS}",
        rf"\[[0-9a-f.]{{0,15}}:[0-9a-f:.]{{1,45}}\]{_PORT}/{_REST}+{_ENDS}",
    )
)
_LABEL = r"(?-i:[a-z0-9-]{1,63}|[^\W\d_A-Za-z]{1,63})"
_HOST = rf"{_NO_WORD}(?P<host>{_LABEL}(?:{_DOT}{_LABEL}){{0,125}}?){_DOT}{_USUAL_TOP}(?!\.?\w|[@(=])"
"""A host name without a scheme, in lower case only; "Booking.com" is a name."""
_TAGS = "a|area|audio|base|button|embed|form|frame|iframe|image|img|input|link|meta|object|script|source|style|svg|track|video"
_LINK = re.compile(
    rf"!?\[(?P<words>[^\[\]\n]*)\]\((?P<target>(?:[^()\n]|\([^()\n]*\))*)\)|(?P<mark></?(?:{_TAGS})\b[^<>\n]*>)"
    rf"|<?(?P<address>{_ADDRESS})>?|{_HOST}",
    re.IGNORECASE,
)
_IN_LINK = re.compile(rf"{_ADDRESS}|{_HOST}", re.IGNORECASE)
_BEFORE_HOST = re.compile(rf"(?:[a-z][a-z0-9+.-]{{1,30}}{_COLON})?{_SLASH}{{0,2}}(?:www{_DOT})?", re.IGNORECASE)
_DOTS = re.compile(_DOT, re.IGNORECASE)
_ASKED_FOR = re.compile(
    r"https?:|www\.|\b(?:ur[li]|(?:hyper)?link|web|web\s?(?:site|page|seite|adresse)|homepage|site|download|internetseite"
    r"|lien|enlace|sitio|sito|strona|odkaz|str[aá]nka|linkki|länk|lenke)(?:s|es|e|n|en)?\b"
    r"|ссылк|сайт|посиланн|σύνδεσμο|ιστοσελίδ|网址|链接|网站|リンク|サイト|링크|사이트|رابط|موقع|קישור|אתר|लिंक|वेबसाइट",
    re.IGNORECASE,
)
_CUT = re.compile(r"\s|(?<=[^\x00-\x7f])[、。！，：；？]")
"""Places where a stream may be cut, since no address contains them."""


def without_addresses(text: str, question: str) -> str:
    """Returns `text` with `STAND_IN` for each address and only the words of each Markdown or HTML link; never longer.

    Args:
        text: text for a model to read, without invisible characters.
        question: question of the user; if it asks for an address, `text` is returned unchanged.
    """
    return text if _ASKED_FOR.search(question) else _LINK.sub(_words, text)


def without_unread_addresses(pieces: Iterable[str], question: str, read: Iterable[str]) -> Iterator[str]:
    """Streams an answer; keeps an address only if the question asks for addresses and a passage contains this one.

    Args:
        pieces: pieces of the answer; a piece that may belong to an address is held back until the address ends.
        question: question as the user asked it.
        read: texts of the passages that the answer is based on.
    """
    known = _addresses(read) if _ASKED_FOR.search(question) else frozenset()

    def passed(link: re.Match[str]) -> str:
        return link[0] if known and _addresses([link[0]]) <= known else _words(link)

    held = ""
    for piece in pieces:
        held += piece
        cut = max((found.end() for found in _CUT.finditer(held)), default=0)
        if cut:
            yield _LINK.sub(passed, held[:cut])
            held = held[cut:]
    if held:
        yield _LINK.sub(passed, held)


def _words(link: re.Match[str]) -> str:
    if link["words"] is not None:
        return _IN_LINK.sub(lambda one: _name_of_host(one["host"]) if one["host"] else STAND_IN, link["words"])
    if link["host"] is not None:
        return _name_of_host(link["host"])
    return "" if link["mark"] else STAND_IN


def _name_of_host(host: str) -> str:
    """Returns the longest part of a host name, by which a person would call it: "github" of "www.github"."""
    return max(_DOTS.split(host), key=len)


def _addresses(texts: Iterable[str]) -> frozenset[str]:
    """Returns the addresses in the texts, without scheme, "www" and the punctuation at their ends."""
    return frozenset(
        _BEFORE_HOST.sub("", found[0], count=1).rstrip("/.,;:!?").casefold()
        for text in texts
        for found in _IN_LINK.finditer(text)
    )
