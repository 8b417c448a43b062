"""Files that an export writes twice, in two formats or two extents: one of them is read."""

from __future__ import annotations

import re

_KEEP = re.compile(r"(?P<rest>(?:^|.*/)(?:Google )?(?:Keep|Notizen)/[^/]+)\.html$", re.DOTALL)
_NOTION_VIEW = re.compile(r"(?P<rest>.* [0-9a-f]{32})\.csv$", re.DOTALL)


def twin_of(path: str) -> str:
    """Returns the path of the file that holds the same and is read in place of this one, if it is there; "" for most files.

    Google Keep writes each note as HTML and as JSON, which knows more. Notion writes the visible rows of a table and all rows.

    Args:
        path: path of a file, with slashes.
    """
    for pattern, ending in ((_KEEP, ".json"), (_NOTION_VIEW, "_all.csv")):
        if match := pattern.match(path):
            return match["rest"] + ending
    return ""
