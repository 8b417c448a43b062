"""Resolves which embedding model the settings or a vault name: by catalogue name, folder, GGUF file or server address."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

from noderag_local.domain.errors import ModelDamaged, ModelMissing
from noderag_local.models.embedding.model_files import MODEL_NAME, WINDOW, model_folder
from noderag_local.models.llm.gguf_files.catalog import CatalogEntry, FileForm, ModelRole, catalog
from noderag_local.models.llm.gguf_files.hashes import sampled_digest
from noderag_local.models.llm.gguf_files.model_folders import WEIGHTS, folder_of
from noderag_local.models.llm.gguf_files.models_folder import files_in
from noderag_local.system.disk.presence import is_file, is_folder, is_there
from noderag_local.text.languages import OTHER_SCRIPTS, language_of

MANY_TOKENS = 2048
"""Window assumed for models that can read more; chunks have far fewer tokens."""


MEAN = "mean"
"""Pooling of a model whose vector of a text is the mean of its tokens' states."""


class Runner(StrEnum):
    """What computes the vectors."""

    FOLDER = "folder"
    """sentence-transformers, with a model folder."""
    GGUF = "gguf"
    """llama.cpp, with a GGUF file."""
    SERVER = "server"
    """A server with the endpoint `/v1/embeddings`."""


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """Describes an embedding model and its prefixes; nothing is loaded."""

    name: str
    runner: Runner
    place: str
    """Path of the folder or file, or URL of the server; after a "#", the server's name of the model."""
    identity: str
    """Text that vaults store; two models with the same identity make the same vectors.

    It contains everything that affects the vectors besides the weights: the passage prefix, the pooling and the window,
    each only if it differs from the installed model's, whose identity is its name. The question prefix is left out, since
    it does not affect the vectors in a vault.
    """
    chosen_by: str
    """Value of the setting `embedding_model` that selects this model from any working directory."""
    question_prefix: str = ""
    passage_prefix: str = ""
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes; "*" stands for about a hundred languages, and () means unknown."""

    def can_read(self, text: str) -> bool:
        """Returns whether the model's vectors of a text are meaningful.

        Languages in Latin script share enough words and names that a model for one of them is of some use for the others. In
        another script, such a model sees only single letters.
        """
        return self.knows_language(text) or language_of(text) not in OTHER_SCRIPTS

    def knows_language(self, text: str) -> bool:
        """Returns whether the model was made for the language of a text."""
        return not self.languages or "*" in self.languages or language_of(text) in self.languages


@dataclass(frozen=True, slots=True)
class FolderShape:
    """Properties of a sentence-transformers folder, read from its small files."""

    window: int
    """Maximum tokens of a text."""
    is_mean: bool
    """Whether a text's vector is the mean of its tokens' states and no further layer follows; then sentence vectors can be
    taken from the pass over the whole chunk."""
    pooling: str
    """Name of the pooling in the folder's configuration; MEAN if `is_mean` is set."""
    is_bert: bool
    """Whether it is a BERT encoder with mean pooling, which NumPy can run for a question."""


def embedding_model(wanted: str, models_dir: Path) -> EmbeddingModel:
    """Returns the model that a value of the setting `embedding_model` selects; "" selects the one that is installed.

    Raises:
        ModelMissing: the model is not installed; the message says how to get it.
        ModelDamaged: its files cannot be read.
        ModelError: the models folder cannot be read.
    """
    if wanted.lower() in ("", MODEL_NAME.lower()):
        # Does not read the catalogue, since every first search passes here.
        return builtin_model()
    if "://" in wanted:
        return _served(wanted)
    if entry := _entry(wanted):
        path = folder_of(entry, models_dir) or models_dir / entry.file_name
        if not is_there(path):
            # Says so if the folder cannot be read, since then fetching the model would not help.
            files_in(models_dir)
            raise ModelMissing(
                f"The embedding model {entry.name} is not in {models_dir}. Fetch it: noderag models get {entry.name}"
            )
        runner = Runner.GGUF if entry.form is FileForm.GGUF else Runner.FOLDER
        shape = folder_shape(path) if runner is Runner.FOLDER else None
        identity = _identity(entry.name, entry.passage_prefix, shape)
        prefixes = entry.question_prefix, entry.passage_prefix
        return EmbeddingModel(entry.name, runner, str(path), identity, entry.name, *prefixes, entry.languages)
    for path in (Path(wanted).expanduser(), models_dir / wanted, models_dir / f"{wanted}.gguf"):
        if is_folder(path):
            return _of_folder(path.resolve())
        if is_file(path) and path.suffix.lower() == ".gguf":
            return _of_file(path.resolve())
    known = ", ".join(entry.name for entry in catalog() if entry.role is ModelRole.EMBEDDING)
    raise ModelMissing(
        f"There is no embedding model {wanted!r}. Set embedding_model to a name of the catalogue ({known}), a folder of "
        "sentence-transformers, a GGUF file or the address of a server."
    )


def builtin_model() -> EmbeddingModel:
    """Returns the model that is installed together with the program."""
    return EmbeddingModel(
        MODEL_NAME, Runner.FOLDER, str(model_folder()), MODEL_NAME, chosen_by=MODEL_NAME.lower(), languages=("en",)
    )


def multilingual_model(models_dir: Path) -> EmbeddingModel | None:
    """Returns the installed multilingual embedding model of the catalogue; None if there is none."""
    for entry in catalog():
        if entry.role is ModelRole.EMBEDDING and "*" in entry.languages and is_there(models_dir / entry.file_name):
            return embedding_model(entry.name, models_dir)
    return None


def folder_shape(folder: Path) -> FolderShape:
    """Reads the small files of a sentence-transformers folder.

    Raises:
        ModelDamaged: the files are missing or cannot be read.
    """
    settings = _json(folder / "config.json")
    modules = _json(folder / "modules.json") if (folder / "modules.json").is_file() else []
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    modes = _pooling_modes(folder, modules)
    further = sorted(set(kinds) - {"Transformer", "Pooling", "Normalize"})
    is_mean = modes == {MEAN} and not further and (folder / "tokenizer.json").is_file()
    card = folder / "sentence_bert_config.json"
    longest = int((_json(card) if card.is_file() else {}).get("max_seq_length") or MANY_TOKENS)
    positions = int(settings.get("max_position_embeddings") or longest)
    is_bert = is_mean and settings.get("model_type") == "bert" and settings.get("hidden_act") == "gelu"
    window = WINDOW if folder == model_folder() else min(longest, positions, MANY_TOKENS)
    pooling = MEAN if is_mean else " and ".join([*sorted(modes), *further]) + ", sentence by sentence"
    return FolderShape(window, is_mean, pooling, is_bert and (folder / WEIGHTS).is_file())


def _pooling_modes(folder: Path, modules: list[dict[str, Any]]) -> set[str]:
    file = next((folder / module["path"] / "config.json" for module in modules if "Pooling" in module["type"]), None)
    pools = _json(file) if file and file.is_file() else {"pooling_mode": MEAN}
    # Newer folders name the mode; older ones have a flag for each.
    named = {str(pools["pooling_mode"])} if pools.get("pooling_mode") else set[str]()
    flags = {name for name, value in pools.items() if name.startswith("pooling_mode_") and value is True}
    return named or {name.removeprefix("pooling_mode_").removesuffix("_tokens") for name in flags}


def _entry(wanted: str) -> CatalogEntry | None:
    name = wanted.lower().removesuffix(".gguf")
    return next((entry for entry in catalog() if entry.role is ModelRole.EMBEDDING and entry.name == name), None)


def _served(wanted: str) -> EmbeddingModel:
    """Returns a served model; it has the prefixes of the catalogue's model of that name, if the address names one after "#"."""
    _, served = urldefrag(wanted)
    entry = next((one for one in catalog() if one.role is ModelRole.EMBEDDING and one.name in served.lower()), None)
    languages = entry.languages if entry else ()
    prefixes = (entry.question_prefix, entry.passage_prefix) if entry else ("", "")
    identity = _identity(f"served {wanted}", prefixes[1])
    return EmbeddingModel(served or wanted, Runner.SERVER, wanted, identity, wanted, *prefixes, languages)


def _of_folder(folder: Path) -> EmbeddingModel:
    weights = next((path for path in sorted(folder.glob("*.safetensors")) if path.is_file()), None)
    if weights is None:
        raise ModelDamaged(
            f"{folder} has no weights (a file .safetensors), so it is no folder of sentence-transformers. Name another "
            "one by embedding_model."
        )
    shape = folder_shape(folder)
    card = folder / "config_sentence_transformers.json"
    prompts = (_json(card) if card.is_file() else {}).get("prompts") or {}
    passage = str(prompts.get("document") or prompts.get("passage") or "")
    identity = _identity(f"{folder.name} {sampled_digest(weights)}", passage, shape)
    return EmbeddingModel(
        folder.name, Runner.FOLDER, str(folder), identity, str(folder), str(prompts.get("query") or ""), passage
    )


def _identity(weights: str, passage_prefix: str, shape: FolderShape | None = None) -> str:
    """Returns the identity of weights that are used in a certain way; the pooling and window of other files are in the files."""
    parts = [weights]
    if passage_prefix:
        parts.append(f"passages begin with {passage_prefix!r}")
    if shape and shape.pooling != MEAN:
        parts.append(f"pooling by {shape.pooling}")
    if shape and shape.window != WINDOW:
        parts.append(f"reads {shape.window} tokens")
    return ", ".join(parts)


def _of_file(file: Path) -> EmbeddingModel:
    return EmbeddingModel(file.stem, Runner.GGUF, str(file), f"{file.stem} {sampled_digest(file)}", str(file))


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelDamaged(
            f"{file} cannot be read: {error}. Get the embedding model again, or name another."
        ) from error
