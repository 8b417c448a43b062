"""Makes a bundle: a folder for installing noderag on a machine without a network."""

from __future__ import annotations

import hashlib
import platform
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from noderag_local import __version__
from noderag_local.domain.errors import SourceError
from noderag_local.system.disk.new_files import NewFolder

SUMS = "SHA256SUMS"
VAULT = "vault.jsonl"
WHEELS, MODELS = "wheels", "models"

_BLOCK_BYTES = 1 << 20
_PLAIN_NAME = re.compile(r"[\w.+~-]+")
"""Names that sha256sum, shells and every file system of a stick take as they are."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The result of making a bundle."""

    path: str
    wheels: int
    models: tuple[str, ...]
    has_vault: bool
    size_bytes: int
    seal: str
    """SHA-256 of the list of all hashes: two bundles with the same one are the same."""


def write_bundle(
    folder: Path, wheels: Path, models: Sequence[Path], write_vault: Callable[[Path], object] | None, *, force: bool
) -> Bundle:
    """Makes a bundle for the operating system and Python version that run this process.

    Args:
        folder: folder to write the bundle into.
        wheels: folder with a wheel of noderag and of every package that it needs.
        models: GGUF files.
        write_vault: writes an export of a vault to the given path; None makes a bundle without a vault.
        force: whether the folder may already contain files; those of the same names are replaced.

    Raises:
        SourceError: a wheel or model cannot be read, noderag's own wheel is missing, or the folder cannot be written.
    """
    found = _wheels(wheels)
    target = _Hashed(NewFolder(folder, force=force))
    target.write("README.md", _filled("readme.md"))
    target.write("install.sh", _filled("install.txt"), executable=True)
    for wheel in found:
        target.copy(wheel, WHEELS)
    for model in models:
        target.copy(model, MODELS)
    if write_vault is not None:
        write_vault(folder / VAULT)
        target.note(VAULT, folder / VAULT)
    sums = target.sums()
    target.folder.write(SUMS, sums)
    names = tuple(model.name for model in models)
    seal = hashlib.sha256(sums).hexdigest()
    return Bundle(str(folder), len(found), names, write_vault is not None, target.size_bytes, seal)


class _Hashed:
    """A new folder with a list of the hashes of its files."""

    def __init__(self, folder: NewFolder) -> None:
        self.folder = folder
        self.size_bytes = 0
        self._hashes: dict[str, str] = {}

    def write(self, name: str, content: bytes, *, executable: bool = False) -> None:
        self.folder.write(name, content, executable=executable)
        self._keep(name, hashlib.sha256(content).hexdigest(), len(content))

    def copy(self, source: Path, within: str) -> None:
        """Copies a file and hashes the bytes that were read, so that checking the hash detects a bad copy."""
        if not _PLAIN_NAME.fullmatch(source.name):
            raise SourceError(
                f"{source} has a name that not every system takes. Rename it with letters, digits and . _ - +."
            )
        hashed, size = hashlib.sha256(), 0
        with self.folder.new(source.name, within=within) as file:
            for block in _blocks(source):
                hashed.update(block)
                size += file.write(block)
        self._keep(f"{within}/{source.name}", hashed.hexdigest(), size)

    def note(self, name: str, path: Path) -> None:
        """Adds the hash of a file that is already in the folder."""
        hashed, size = hashlib.sha256(), 0
        for block in _blocks(path):
            hashed.update(block)
            size += len(block)
        self._keep(name, hashed.hexdigest(), size)

    def sums(self) -> bytes:
        """Returns the hashes in the format of sha256sum and shasum."""
        return "".join(f"{digest}  {name}\n" for name, digest in sorted(self._hashes.items())).encode()

    def _keep(self, name: str, digest: str, size: int) -> None:
        self._hashes[name] = digest
        self.size_bytes += size


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                yield block
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read: {error.strerror or error}. Check the path and its permissions."
        ) from error


def _wheels(folder: Path) -> list[Path]:
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".whl" and path.is_file())
    except OSError as error:
        raise SourceError(
            f"{folder} cannot be read: {error.strerror or error}. Name the folder with the wheels."
        ) from error
    if not any(path.name.startswith(f"noderag_local-{__version__}-") for path in found):
        raise SourceError(
            f"{folder} holds no wheel of noderag {__version__}. scripts/bundle of the project builds it and gathers the others."
        )
    return found


def _filled(name: str) -> bytes:
    text = files("noderag_local.vault.export").joinpath("bundle_files", name).read_text(encoding="utf-8")
    system, python = f"{platform.system()} {platform.machine()}", ".".join(map(str, sys.version_info[:2]))
    fields = {"@SYSTEM@": system, "@PYTHON@": python, "@VERSION@": __version__}
    for field, value in fields.items():
        text = text.replace(field, value)
    return text.encode()
