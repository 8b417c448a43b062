"""Lists, chooses, verifies and removes model files in the models folder."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from noderag_local.domain.errors import ModelDamaged, ModelError, ModelMissing
from noderag_local.models.llm.gguf_files.catalog import (
    CatalogEntry,
    FileForm,
    InstalledSource,
    ModelRole,
    catalog,
    default_entry,
    installed_file,
)
from noderag_local.models.llm.gguf_files.gguf import GgufHeader, read_header
from noderag_local.models.llm.gguf_files.hashes import hash_file, note_hash, noted_hash
from noderag_local.models.llm.gguf_files.model_folders import folder_of, is_whole, remove_folder
from noderag_local.models.llm.gguf_files.models_folder import files_in
from noderag_local.models.llm.gguf_files.package_source import scratch_folder
from noderag_local.models.llm.gguf_files.part_file import Reporter
from noderag_local.system.disk.presence import is_file

WAY_OUT = (
    "Fetch the default one (F5 in the interface, or noderag models get) or add a file (noderag models add FILE.gguf)."
)


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A GGUF file in the models folder."""

    path: Path
    size_bytes: int
    entry: CatalogEntry | None
    """The catalogue's model with this file name."""
    header: GgufHeader | None
    """Header of the file; None if it cannot be used."""
    problem: str
    """Why the file cannot be used and what to do; empty if it can."""

    @property
    def name(self) -> str:
        """File name without its suffix."""
        return self.path.stem


def installed_models(models_dir: Path) -> list[InstalledModel]:
    """Returns all GGUF files of the folder by name, including damaged ones; reads only their headers.

    Raises:
        ModelError: the folder cannot be read.
    """
    return [_look_at(path) for path in _gguf_files(models_dir)]


def _gguf_files(models_dir: Path) -> list[Path]:
    return [path for path in files_in(models_dir) if path.suffix.lower() == ".gguf"]


def unfinished_downloads(models_dir: Path) -> list[Path]:
    """Returns the files of interrupted downloads.

    Raises:
        ModelError: the folder cannot be read.
    """
    endings = tuple(f".{form}.part" for form in FileForm)
    return [path for path in files_in(models_dir) if path.name.endswith(endings) and not path.name.startswith(".")]


def resolve_model(wanted: str, models_dir: Path) -> Path:
    """Returns the file of the model that the settings name.

    `wanted` is a name of the catalogue, a file name in the folder or any path. If it is empty, the result is the catalogue's
    default if installed, else the installed chat model with the most parameters.

    Raises:
        ModelMissing: there is none; the message says how to get one.
        ModelDamaged: `wanted` is empty and every file in the folder is damaged.
        ModelError: the folder cannot be read.
    """
    if not wanted:
        return _best(models_dir)
    for path in (models_dir / wanted, models_dir / f"{wanted.lower().removesuffix('.gguf')}.gguf", Path(wanted)):
        if is_file(path):
            return path
    there = ", ".join(path.name for path in _gguf_files(models_dir)) or "no model at all"
    known = next(
        (entry for entry in catalog() if entry.file_name == f"{wanted.lower().removesuffix('.gguf')}.gguf"), None
    )
    if known:
        raise ModelMissing(f"The model {known.name} is not in {models_dir}. Fetch it: noderag models get {known.name}")
    raise ModelMissing(f"There is no model {wanted!r}; in {models_dir} there is: {there}. {WAY_OUT}")


def remove_model(name: str, models_dir: Path) -> list[Path]:
    """Deletes a model's file or folder, its unfinished download and its stored hash; returns the deleted paths.

    Raises:
        ModelMissing: the folder has nothing of that name.
        ModelError: a file cannot be deleted, or the folder cannot be read.
    """
    gone: list[Path] = []
    if name and Path(name).name == name:
        for file_name in dict.fromkeys((name, f"{name.removesuffix('.gguf')}.gguf", f"{name.lower()}.gguf")):
            gone += _remove_files(models_dir / file_name)
        for entry in catalog():
            if entry.name == name.lower() and entry.form is not FileForm.GGUF:
                gone += _remove_converted(entry, models_dir)
    if not gone:
        there = ", ".join(path.name for path in _gguf_files(models_dir)) or "nothing"
        raise ModelMissing(f"There is no model {name!r} in {models_dir}; there is: {there}.")
    return gone


def _remove_converted(entry: CatalogEntry, models_dir: Path) -> list[Path]:
    gone = _remove_files(models_dir / entry.fetched_name)
    try:
        return gone + remove_folder(entry, models_dir)
    except OSError as error:
        raise ModelError(
            f"{error.filename} cannot be deleted: {error.strerror}. Check the permissions of the folder."
        ) from error


def _remove_files(target: Path) -> list[Path]:
    if target.suffix.lower().removeprefix(".") not in list(FileForm):
        return []
    gone = []
    try:
        leftovers = (f"{target.name}.part", f"{target.name}.part.json", f".adding-{target.name}.part")
        for path in (target, *(target.with_name(name) for name in leftovers)):
            if path.is_file() or path.is_symlink():
                path.unlink()
                gone.append(path)
        if scratch_folder(target).is_dir():
            shutil.rmtree(scratch_folder(target))
            gone.append(scratch_folder(target))
        if gone:
            note_hash(target, "")
    except OSError as error:
        raise ModelError(
            f"{error.filename} cannot be deleted: {error.strerror}. Check the permissions of the folder."
        ) from error
    return gone


def _best(models_dir: Path) -> Path:
    default = models_dir / default_entry().file_name
    if is_file(default):
        return default
    models = installed_models(models_dir)
    usable = [model for model in models if model.header and model.header.has_chat_template and not _embeds(model)]
    if usable:
        return max(usable, key=lambda model: (model.header.parameters if model.header else 0, model.name)).path
    if models:
        reasons = "; ".join(model.problem or f"{model.path.name} has no chat template" for model in models)
        raise ModelDamaged(f"No file in {models_dir} can answer: {reasons} {WAY_OUT}")
    raise ModelMissing(f"There is no language model in {models_dir}. {WAY_OUT}")


def _embeds(model: InstalledModel) -> bool:
    """Returns whether a file is an embedding model of the catalogue; such files may have a chat template as well."""
    return model.entry is not None and model.entry.role is ModelRole.EMBEDDING


def _look_at(path: Path) -> InstalledModel:
    entry = next((entry for entry in catalog() if entry.file_name == path.name), None)
    try:
        header = read_header(path)
        size = path.stat().st_size
    except ModelError as error:
        return InstalledModel(path, _size(path), entry, None, str(error))
    return InstalledModel(path, size, entry, header, "")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


@dataclass(frozen=True, slots=True)
class ModelFinding:
    """The result of checking one file."""

    path: Path
    good: bool
    message: str
    """Result for the user; for a damaged file, what is wrong and what to do."""


def check_models(models_dir: Path, reporter: Reporter) -> list[ModelFinding]:
    """Verifies every model file, including embedding models; reads all of them completely.

    Raises:
        ModelError: the folder cannot be read.
    """
    findings = [_check(model, reporter) for model in installed_models(models_dir)]
    findings += [_unfinished(path) for path in unfinished_downloads(models_dir)]
    for entry in catalog():
        for source in entry.sources:
            if isinstance(source, InstalledSource):
                findings.append(_check_installed(entry, source, reporter))
        if folder := folder_of(entry, models_dir):
            findings.append(_check_folder(entry, folder, reporter))
    return findings


def _check(model: InstalledModel, reporter: Reporter) -> ModelFinding:
    path = model.path
    if model.problem:
        return ModelFinding(path, False, model.problem)
    expected = model.entry.sha256 if model.entry else ""
    expected = expected or noted_hash(path)
    if not expected:
        return ModelFinding(path, True, "complete according to its header; its hash is not known")
    if hash_file(path, reporter) == expected:
        return ModelFinding(path, True, "SHA-256 is right")
    again = f"noderag models get {model.entry.name}" if model.entry else "noderag models add with a good copy"
    return ModelFinding(path, False, f"{path} is damaged: wrong SHA-256. noderag models rm {path.name}, then {again}.")


def _check_folder(entry: CatalogEntry, folder: Path, reporter: Reporter) -> ModelFinding:
    if is_whole(folder, reporter):
        return ModelFinding(folder, True, f"the embedding model {entry.name}; SHA-256 is right")
    way_out = f"noderag models rm {entry.name}, then noderag models get {entry.name}."
    return ModelFinding(folder, False, f"{folder} is damaged: wrong SHA-256. {way_out}")


def _unfinished(path: Path) -> ModelFinding:
    name = path.name.removesuffix(".part").rpartition(".")[0]
    return ModelFinding(
        path,
        True,
        f"an interrupted download: noderag models get {name} resumes it, noderag models rm {name} removes it",
    )


def _check_installed(entry: CatalogEntry, source: InstalledSource, reporter: Reporter) -> ModelFinding:
    way_out = f"Install the Python package {source.installed.replace('_', '-')} again."
    path = installed_file(source)
    if path is None:
        return ModelFinding(Path(source.data_file), False, f"The embedding model {entry.name} is missing. {way_out}")
    if hash_file(path, reporter) != entry.sha256:
        return ModelFinding(path, False, f"{path} is damaged: wrong SHA-256. {way_out}")
    return ModelFinding(path, True, f"the embedding model {entry.name}; SHA-256 is right")
