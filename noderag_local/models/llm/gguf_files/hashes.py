"""Computes hashes of model files: the SHA-256 of a whole file and a quick digest of samples.

Hashes that are not in the catalogue are stored in `.hashes.json` in the models folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from noderag_local.models.llm.gguf_files.part_file import BLOCK_BYTES, Reporter
from noderag_local.system.disk.private_files import write_private

NOTE_NAME = ".hashes.json"


def hash_file(path: Path, reporter: Reporter) -> str:
    """Returns the SHA-256 of a file, hexadecimal.

    Raises:
        OSError: the file cannot be read.
    """
    hashed = hashlib.sha256()
    with open(path, "rb") as file:
        total = path.stat().st_size
        done = 0
        while block := file.read(BLOCK_BYTES):
            hashed.update(block)
            done += len(block)
            reporter.progress("checking", done, total)
    return hashed.hexdigest()


def noted_hash(path: Path) -> str:
    """Returns the stored SHA-256 of a model file from when it was added to its folder; empty if none was stored."""
    return _read(path.parent).get(path.name, "")


def note_hash(path: Path, sha256: str) -> None:
    """Stores the hash of a model file for later checks; an empty hash removes it."""
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


HEAD_BYTES = 1 << 20
SAMPLE_BYTES = 1 << 16
SAMPLES = 64


def sampled_digest(path: Path) -> str:
    """Returns 16 hexadecimal digits of the SHA-256 of the file's length, header and 64 samples; reads 5 MB.

    This detects another quantization or training, which changes every tensor, but does not protect against forgery.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        found = hashlib.sha256(str(size).encode())
        file.seek(0)
        found.update(file.read(HEAD_BYTES))
        for sample in range(SAMPLES):
            file.seek(max(0, size - SAMPLE_BYTES) * sample // (SAMPLES - 1))
            found.update(file.read(SAMPLE_BYTES))
    return found.hexdigest()[:16]
