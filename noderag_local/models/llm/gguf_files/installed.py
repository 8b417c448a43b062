"""Lists, chooses and removes model files in the models folder."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from noderag_local.domain.errors import ModelDamaged, ModelError, ModelMissing
from noderag_local.models.llm.gguf_files.catalog import CatalogEntry, catalog, default_entry
from noderag_local.models.llm.gguf_files.gguf import GgufHeader, read_header
from noderag_local.models.llm.gguf_files.hashes import note_hash
from noderag_local.models.llm.gguf_files.package_source import scratch_folder

WAY_OUT = "Fetch the default one (noderag models get) or add a file (noderag models add FILE.gguf)."


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A GGUF file in the models folder."""

    path: Path
    size_bytes: int
    entry: CatalogEntry | None
    """The catalogue's model of this file name."""
    header: GgufHeader | None
    """None for a file that cannot be used."""
    problem: str
    """Why it cannot be used and what to do; empty for one that can."""

    @property
    def name(self) -> str:
        return self.path.stem


def installed_models(models_dir: Path) -> list[InstalledModel]:
    """Returns all GGUF files of the folder by name, damaged ones too; reads only their heads."""
    if not models_dir.is_dir():
        return []
    return [_look_at(path) for path in sorted(models_dir.iterdir()) if path.suffix.lower() == ".gguf"]


def unfinished_downloads(models_dir: Path) -> list[Path]:
    """Returns the files of downloads that were cut off."""
    return sorted(path for path in models_dir.glob("*.gguf.part") if not path.name.startswith("."))


def resolve_model(wanted: str, models_dir: Path) -> Path:
    """Returns the file of the model that the settings ask for.

    `wanted` is a name of the catalogue, the name of a file in the folder or the path of one anywhere; empty takes the
    catalogue's default if it is there, else the installed chat model with the most parameters.

    Raises:
        ModelMissing: there is none; says how to get one.
        ModelDamaged: `wanted` is empty and every file in the folder is damaged.
    """
    if not wanted:
        return _best(models_dir)
    for path in (models_dir / wanted, models_dir / f"{wanted.lower().removesuffix('.gguf')}.gguf", Path(wanted)):
        if path.is_file():
            return path
    known = next(
        (entry for entry in catalog() if entry.file_name == f"{wanted.lower().removesuffix('.gguf')}.gguf"), None
    )
    if known:
        raise ModelMissing(f"The model {known.name} is not in {models_dir}. Fetch it: noderag models get {known.name}")
    there = ", ".join(model.path.name for model in installed_models(models_dir)) or "no model at all"
    raise ModelMissing(f"There is no model {wanted!r}; in {models_dir} there is: {there}. {WAY_OUT}")


def remove_model(name: str, models_dir: Path) -> list[Path]:
    """Deletes a model's file, its unfinished download and its noted hash; returns what was deleted.

    Raises:
        ModelMissing: the folder holds nothing of that name.
        ModelError: a file cannot be deleted.
    """
    gone: list[Path] = []
    if name and Path(name).name == name:
        for file_name in dict.fromkeys((name, f"{name.removesuffix('.gguf')}.gguf", f"{name.lower()}.gguf")):
            gone += _remove_files(models_dir / file_name)
    if not gone:
        there = ", ".join(model.path.name for model in installed_models(models_dir)) or "nothing"
        raise ModelMissing(f"There is no model {name!r} in {models_dir}; there is: {there}.")
    return gone


def _remove_files(target: Path) -> list[Path]:
    if target.suffix.lower() != ".gguf":
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
            f"{error.filename} cannot be deleted: {error.strerror}. Check the rights of the folder."
        ) from error
    return gone


def _best(models_dir: Path) -> Path:
    default = models_dir / default_entry().file_name
    if default.is_file():
        return default
    models = installed_models(models_dir)
    usable = [model for model in models if model.header and model.header.has_chat_template]
    if usable:
        return max(usable, key=lambda model: (model.header.parameters if model.header else 0, model.name)).path
    if models:
        reasons = "; ".join(model.problem or f"{model.path.name} has no chat template" for model in models)
        raise ModelDamaged(f"No file in {models_dir} can answer: {reasons} {WAY_OUT}")
    raise ModelMissing(f"There is no language model in {models_dir}. {WAY_OUT}")


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
