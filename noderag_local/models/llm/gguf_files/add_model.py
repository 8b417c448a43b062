"""Copies a GGUF file from elsewhere, such as a USB stick, into the models folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from noderag_local.domain.errors import ModelDamaged, ModelError
from noderag_local.models.llm.gguf_files.catalog import CatalogEntry, catalog, entry_of_file
from noderag_local.models.llm.gguf_files.gguf import read_header
from noderag_local.models.llm.gguf_files.hashes import hash_file, note_hash
from noderag_local.models.llm.gguf_files.part_file import BLOCK_BYTES, PartFile, Reporter
from noderag_local.system.disk.private_files import make_private_folder


def add_model(file: Path, models_dir: Path, reporter: Reporter) -> tuple[Path, CatalogEntry | None]:
    """Copies a GGUF file into the models folder and verifies it; returns its new path and its entry in the catalogue, if any.

    A file whose contents are in the catalogue gets the catalogue's name; any other file keeps its own.

    Raises:
        ModelMissing: the file cannot be read.
        ModelDamaged: it is incomplete or not a GGUF file, or has a name of the catalogue but other contents.
        ModelError: a different file of that name exists, or the folder cannot be written.
    """
    read_header(file)
    try:
        make_private_folder(models_dir)
        if file.resolve().parent == models_dir.resolve():
            return _name_in_place(file, reporter)
        return _copy(file, models_dir, reporter)
    except OSError as error:
        raise ModelError(
            f"{file} cannot be copied to {models_dir}: {error.strerror or error}. Free some space or name another folder "
            "by --models-dir."
        ) from error


def _copy(file: Path, models_dir: Path, reporter: Reporter) -> tuple[Path, CatalogEntry | None]:
    free, size = shutil.disk_usage(models_dir).free, file.stat().st_size
    if size > free:
        raise ModelError(
            f"{file} takes {size / 1e9:.1f} GB; in {models_dir} {free / 1e9:.1f} GB are free. Free some space."
        )
    with PartFile(models_dir / f".adding-{file.name}", reporter) as part, open(file, "rb") as source:
        part.cut_to(0)
        try:
            while block := source.read(BLOCK_BYTES):
                part.append(block)
                reporter.progress("copying", part.size, size)
            # Checks the copy, since it is the file that will be used and the stick may have been removed.
            read_header(part.path)
            entry, sha256 = entry_of_file(part.size, part.sha256), part.sha256
            part.target = _free_name(file, models_dir, entry, sha256, reporter)
            part.finish()
        finally:
            part.path.unlink(missing_ok=True)
    note_hash(part.target, sha256)
    return part.target, entry


def _free_name(file: Path, models_dir: Path, entry: CatalogEntry | None, sha256: str, reporter: Reporter) -> Path:
    """Returns the path for the file; raises ModelError if another file has it."""
    own_name = file.name if file.suffix.lower() == ".gguf" else f"{file.name}.gguf"
    namesake = next((known for known in catalog() if known.file_name == own_name.lower()), None)
    if entry is None and namesake is not None:
        raise ModelDamaged(
            f"{file} has the name of the catalogue's {namesake.name} but not its contents (SHA-256 {sha256}). It is a damaged "
            "copy or another model. If it is another model, rename the file and add it again."
        )
    target = models_dir / (entry.file_name if entry else own_name)
    if target.exists() and hash_file(target, reporter) != sha256:
        raise ModelError(
            f"{target} exists and is a different file. Remove it first (noderag models rm {target.name}) or give "
            f"{file} another name."
        )
    return target


def _name_in_place(file: Path, reporter: Reporter) -> tuple[Path, CatalogEntry | None]:
    """Verifies a file that the user has put into the folder, and renames it if it is in the catalogue."""
    sha256 = hash_file(file, reporter)
    entry = entry_of_file(file.stat().st_size, sha256)
    target = _free_name(file, file.parent, entry, sha256, reporter)
    if target != file:
        file.replace(target)
    note_hash(target, sha256)
    return target, entry
