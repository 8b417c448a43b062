"""What a mail is called by those that answer it: links find it by this name, and nobody else should see it."""

from __future__ import annotations

import hashlib
import re

_NAME = re.compile(r"<[0-9a-f]{24}@mail>")


def mail_name(message_id: str) -> str:
    """The name of a mail with this message id, which may hold what would be taken for a path or a suffix."""
    return f"<{hashlib.sha256(message_id.encode('utf-8', 'replace')).hexdigest()[:24]}@mail>"


def is_mail_name(name: str) -> bool:
    """Whether it is one, and so names nothing that a text tells of."""
    return _NAME.fullmatch(name) is not None
