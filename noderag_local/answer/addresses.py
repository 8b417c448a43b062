"""Web addresses in notes, kept from the model unless the question is for one.

A note can ask for an address to be put into the answer, and many terminals open an address at a click. A model that has not
read it cannot write it; the citation opens the source, where it stands.
"""

from __future__ import annotations

import re

STAND_IN = "[link]"
"""What a model reads in place of an address."""

_ADDRESS = r"(?:https?://|ftp://|www\.|mailto:|javascript:)[^\s<>\"'\])}]{3,}"
_LINK = re.compile(
    rf"!?\[(?P<words>[^\]\n]*)\]\([^)\n]*\)|(?P<mark></?(?:a|img|iframe)\b[^>\n]*>)|<?{_ADDRESS}>?", re.IGNORECASE
)
_ASKED_FOR = re.compile(
    r"https?:|www\.|\b(?:ur[li]|(?:hyper)?link|web|web\s?(?:site|page|seite|adresse)|homepage|site|download|internetseite"
    r"|lien|enlace|sitio|sito|strona|odkaz|str[aá]nka|linkki|länk|lenke)(?:s|es|e|n|en)?\b"
    r"|ссылк|сайт|посиланн|σύνδεσμο|ιστοσελίδ|网址|链接|网站|リンク|サイト|링크|사이트|رابط|موقع|קישור|אתר|लिंक|वेबसाइट",
    re.IGNORECASE,
)


def without_addresses(text: str, question: str) -> str:
    """`text` with `STAND_IN` for each web address, and of each Markdown or HTML link its words; never longer than it was.

    Args:
        text: what a model is to read.
        question: where it is for an address, `text` stays as it is.
    """
    return text if _ASKED_FOR.search(question) else _LINK.sub(_words, text)


def _words(link: re.Match[str]) -> str:
    if link["words"] is not None:
        return link["words"]
    return "" if link["mark"] else STAND_IN
