"""Lists all models that the user can choose: those of the catalogue and those in the models folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from noderag_local.domain.errors import ModelError
from noderag_local.models.llm.gguf_files.catalog import (
    CatalogEntry,
    InstalledSource,
    ModelRole,
    catalog,
    installed_file,
)
from noderag_local.models.llm.gguf_files.installed import (
    InstalledModel,
    installed_models,
    resolve_model,
    unfinished_downloads,
)
from noderag_local.models.llm.gguf_files.model_folders import WEIGHTS, folder_of


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model of the catalogue, a file in the models folder, or both."""

    name: str
    """Name in the catalogue, else name of the file."""
    entry: CatalogEntry | None
    path: Path | None
    """Its file; None if it is not installed."""
    size_bytes: int
    context_tokens: int
    """Context length in tokens; 0 if unknown."""
    parameters: int
    """Number of parameters; 0 if the model is not installed."""
    problem: str
    """Why its file cannot be used and what to do; empty if it can."""
    unfinished_bytes: int
    """Bytes of an interrupted download."""
    is_used: bool
    """Whether the settings choose this model."""

    @property
    def role(self) -> ModelRole:
        """What the model is used for; files outside the catalogue count as chat models."""
        return self.entry.role if self.entry else ModelRole.CHAT

    @property
    def is_fetched(self) -> bool:
        """Whether its file is in the models folder, as opposed to installed with the program."""
        return self.path is not None and (self.entry is None or self.entry.is_fetched)


def listed_models(wanted: str, models_dir: Path, embedding: str = "") -> tuple[ListedModel, ...]:
    """Returns the catalogue's models in order, then all other installed ones; reads only the headers of files.

    Args:
        wanted: value of the setting `model`.
        models_dir: the models folder.
        embedding: value of the setting `embedding_model`.

    Raises:
        ModelError: the folder cannot be read.
    """
    used = {_used(wanted, models_dir), _used_embedding(embedding, models_dir)}
    models = installed_models(models_dir)
    unfinished = {path.name.removesuffix(".part"): path.stat().st_size for path in unfinished_downloads(models_dir)}
    by_entry = {model.entry.name: model for model in models if model.entry}
    known = [_of_catalogue(entry, by_entry.get(entry.name), unfinished, used, models_dir) for entry in catalog()]
    return (*known, *(_of_folder(model, used) for model in models if model.entry is None))


def _used(wanted: str, models_dir: Path) -> Path | None:
    try:
        return resolve_model(wanted, models_dir)
    except ModelError:
        return None


def _used_embedding(wanted: str, models_dir: Path) -> Path | None:
    from noderag_local.models.embedding.embedding_model import embedding_model

    try:
        place = Path(embedding_model(wanted, models_dir).place)
    except ModelError:
        return None
    # For the installed model, the catalogue gives its weights file.
    return place / WEIGHTS if not place.is_relative_to(models_dir) else place


def _of_catalogue(
    entry: CatalogEntry,
    model: InstalledModel | None,
    unfinished: dict[str, int],
    used: set[Path | None],
    models_dir: Path,
) -> ListedModel:
    path = model.path if model else _shipped(entry) or folder_of(entry, models_dir)
    return ListedModel(
        entry.name,
        entry,
        path,
        entry.size_bytes,
        entry.context_tokens,
        model.header.parameters if model and model.header else 0,
        model.problem if model else "",
        unfinished.get(entry.fetched_name, 0),
        path is not None and path in used,
    )


def _of_folder(model: InstalledModel, used: set[Path | None]) -> ListedModel:
    header = model.header
    return ListedModel(
        model.name,
        None,
        model.path,
        model.size_bytes,
        header.context_tokens if header else 0,
        header.parameters if header else 0,
        model.problem,
        0,
        model.path in used,
    )


def _shipped(entry: CatalogEntry) -> Path | None:
    """Returns the file of a model that is installed with the program."""
    shipped = (source for source in entry.sources if isinstance(source, InstalledSource))
    return next((path for source in shipped if (path := installed_file(source))), None)
