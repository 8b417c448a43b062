"""Internal names of mails, by which the links of replies find them; they are never shown."""

from __future__ import annotations

import hashlib
import re

_NAME = re.compile(r"<[0-9a-f]{24}@mail>")


def mail_name(message_id: str) -> str:
    """Returns the name of a mail with this message id, in which nothing can be taken for a path or a suffix."""
    return f"<{hashlib.sha256(message_id.encode('utf-8', 'replace')).hexdigest()[:24]}@mail>"


def is_mail_name(name: str) -> bool:
    """Returns whether a name is that of a mail, which no text mentions."""
    return _NAME.fullmatch(name) is not None
