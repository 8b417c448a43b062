"""Finds files that an export writes twice, in two formats or with different rows; only one of them is read."""

from __future__ import annotations

from noderag_local.ingest.formats.registry import format_of


def twin_of(path: str) -> str:
    """Returns the path of the file that is read instead of this one if it exists; "" for most files.

    Google Keep writes each note as HTML and as JSON, which has more. Notion writes a table with the visible rows and one with all rows.

    Args:
        path: path of a file.
    """
    stem, _, ending = path.rpartition(".")
    if ending == "html" and format_of(f"{stem}.json").name == "keep":
        return f"{stem}.json"
    if ending == "csv" and format_of(path).name == "notion-table" and not stem.endswith("_all"):
        return f"{stem}_all.csv"
    return ""
