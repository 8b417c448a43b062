"""Converts XHTML to HTML."""

from __future__ import annotations

import re

_CLOSED_AT_ONCE = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)([A-Za-z][\w:-]{0,40})((?:\s[^<>]{0,2000})?)/>"
)


def as_html(text: str) -> str:
    """Returns an XHTML page as HTML; HTML would leave `<a id="x"/>` open to the end of the page."""
    return _CLOSED_AT_ONCE.sub(r"<\1\2></\1>", text)
