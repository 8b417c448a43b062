"""Words the note about pages that are pictures and were not read, and reads the number of pages out of it again.

The note is stored with its file, so that a later run knows what the slow reader still has to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from noderag_local.domain.documents import Skipped
from noderag_local.ingest.chunks.parsed_document import SCAN_UNREAD, Omission
from noderag_local.system.printing.amounts import counted

WHOLE_FILE = 0
"""Number that stands for a file that is one picture, among numbers of pages."""

_PAGES = re.compile(r" has ([0-9,]{1,12}) pages? of pictures whose text is not read yet")


def unread_scans(pages: Sequence[int]) -> Omission:
    """Returns the note about pages whose text is only in pictures.

    Args:
        pages: their numbers from 1, in order; WHOLE_FILE for a file that is one picture.
    """
    place = "" if WHOLE_FILE in pages else f" ({spelled_pages(pages)})"
    return Omission(
        SCAN_UNREAD,
        f"has {counted(len(pages), 'pages')} of pictures whose text is not read yet{place}. `noderag index` reads it after all other "
        "files, if the extra ocr is installed; `noderag doctor` says how.",
    )


def unread_pages(skipped: Skipped) -> int:
    """Returns how many pages a note of `unread_scans` is about; 0 if it is another note."""
    found = _PAGES.search(skipped.detail) if skipped.reason == SCAN_UNREAD else None
    return int(found[1].replace(",", "")) if found else 0


def spelled_pages(numbers: Sequence[int]) -> str:
    """Returns the numbers of pages as text: "page 4", or "pages 4–6, 9"."""
    if len(numbers) == 1:
        return f"page {numbers[0]}"
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    spelled = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)
    return f"pages {spelled}"
