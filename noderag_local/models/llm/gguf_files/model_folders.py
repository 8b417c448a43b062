"""Manages models that are converted to sentence-transformers folders after their download."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from noderag_local.models.llm.gguf_files.catalog import CatalogEntry, FileForm
from noderag_local.models.llm.gguf_files.hashes import hash_file, note_hash, noted_hash
from noderag_local.models.llm.gguf_files.part_file import Reporter
from noderag_local.system.disk.on_disk import sync
from noderag_local.system.disk.presence import is_file
from noderag_local.system.disk.private_files import make_private_folder

WEIGHTS = "model.safetensors"


def folder_of(entry: CatalogEntry, models_dir: Path) -> Path | None:
    """Returns the folder of a converted model, or None if it does not exist."""
    folder = models_dir / entry.file_name
    return folder if entry.form is not FileForm.GGUF and is_file(folder / WEIGHTS) else None


def make_folder(file: Path, folder: Path, reporter: Reporter) -> None:
    """Converts a downloaded file to its model folder and deletes the file; after a kill, the next call starts again.

    Raises:
        ModelDamaged: the file does not have the expected layout.
        OSError: the folder cannot be written.
    """
    from noderag_local.models.embedding.q4_file import convert

    making = _making(folder)
    shutil.rmtree(making, ignore_errors=True)
    make_private_folder(making)
    convert(file, making, lambda done, total: reporter.progress("converting", done, total))
    note_hash(making / WEIGHTS, hash_file(making / WEIGHTS, reporter))
    with open(making / WEIGHTS, "rb") as weights:
        os.fsync(weights.fileno())
    os.replace(making, folder)
    sync(folder.parent)
    file.unlink()


def is_whole(folder: Path, reporter: Reporter) -> bool:
    """Returns whether the weights still have the hash from when the folder was made."""
    return hash_file(folder / WEIGHTS, reporter) == noted_hash(folder / WEIGHTS)


def remove_folder(entry: CatalogEntry, models_dir: Path) -> list[Path]:
    """Deletes a model's folder and any unfinished conversion; returns the deleted paths.

    Raises:
        OSError: a file or folder cannot be deleted.
    """
    folder = models_dir / entry.file_name
    gone = [path for path in (folder, _making(folder)) if path.is_dir()]
    for path in gone:
        shutil.rmtree(path)
    return gone


def _making(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.making")
