"""Writes notes into a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def written_notes(folder: Path, notes: Mapping[str, str]) -> Path:
    """Makes a folder with notes, by their paths in it, and returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in notes.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
