"""SHA-256 of model files; those that the catalogue does not know are noted in `.hashes.json` in the models folder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from noderag_local.models.llm.gguf_files.part_file import BLOCK_BYTES
from noderag_local.models.llm.gguf_files.reporter import Reporter
from noderag_local.system.disk.private_files import write_private

NOTE_NAME = ".hashes.json"


def hash_file(path: Path, reporter: Reporter) -> str:
    """Returns the SHA-256 of a file, hexadecimal. Raises OSError when it cannot be read."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        total = path.stat().st_size
        done = 0
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
            done += len(block)
            reporter.progress("checking", done, total)
    return digest.hexdigest()


def noted_hash(path: Path) -> str:
    """Returns the SHA-256 that a model file had when it came into its folder; empty when it was not noted."""
    return _read(path.parent).get(path.name, "")


def note_hash(path: Path, sha256: str) -> None:
    """Notes the hash of a model file for later checks; an empty hash removes the note."""
    noted = {name: kept for name, kept in _read(path.parent).items() if name != path.name}
    if sha256:
        noted[path.name] = sha256
    write_private(path.with_name(NOTE_NAME), json.dumps(noted, indent=1, sort_keys=True) + "\n")


def _read(folder: Path) -> dict[str, str]:
    try:
        noted = json.loads((folder / NOTE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}
