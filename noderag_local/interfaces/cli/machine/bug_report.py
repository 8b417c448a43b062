"""Collects the facts for a bug report, without any text of notes, questions or file names.

Everything in it is a number, a name from the program or a library, or one of a few known values. Paths, addresses, keys and
messages are left out.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from noderag_local.domain.errors import NoderagError, SettingsError
from noderag_local.interfaces.cli.machine.doctor_checks import all_checks, required_packages
from noderag_local.system.log.running import log_in_use

if TYPE_CHECKING:
    from noderag_local.config import Settings
    from noderag_local.domain.holdings import Stats
    from noderag_local.vault.vault import Vault

ERRORS, RECORDS = 5, 60
"""Maximum records of the log: the last errors, and the last records of any kind, which contain the times of stages."""


def bug_report(vault: Path | None) -> str:
    """Returns the text of the report.

    Args:
        vault: folder of the vault, as given on the command line; None for that of the settings.
    """
    parts = {
        "Versions": _versions(),
        "Checks": _checks(vault),
        "Settings": _settings(vault),
        "Vault": _vault(vault),
        "Last errors of the log": _log(errors=True),
        "End of the log": _log(errors=False),
    }
    lines = ["Report of noderag. It holds no text of notes or questions, no file names and no keys."]
    for title, found in parts.items():
        lines += ["", f"## {title}", *found]
    return "\n".join(lines) + "\n"


def _versions() -> Iterator[str]:
    from noderag_local import __version__
    from noderag_local.storage.database.connection import FORMAT
    from noderag_local.storage.database.sqlite_file import SQLITE_VERSION

    yield f"noderag {__version__}, vault format {FORMAT}"
    yield f"{platform.python_implementation()} {platform.python_version()}, SQLite {SQLITE_VERSION}"
    yield f"{platform.system()} {platform.release()} {platform.machine()}, {' '.join(platform.libc_ver()).strip()}"
    yield f"{os.cpu_count()} processors, terminal: {'yes' if sys.stdout.isatty() else 'no'}"
    for name in required_packages():
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} is missing"


def _checks(vault: Path | None) -> Iterator[str]:
    started = time.monotonic()
    for finding in all_checks(vault):
        # Without details, which contain paths and messages.
        yield f"{'ok ' if finding.ok else 'NOT'}  {finding.what}"
    yield f"took {time.monotonic() - started:.2f} s"


def _settings(vault: Path | None) -> Iterator[str]:
    from noderag_local.config import Settings, load_settings
    from noderag_local.interfaces.tui.settings.settings_file import origins

    try:
        settings = load_settings(vault=vault)
    except SettingsError:
        yield "cannot be used"
        return
    where = origins(settings)
    for name in Settings.model_fields:
        yield f"{name}: {_shown(settings, name)}, from {where[name].value}"


def _shown(settings: Settings, name: str) -> str:
    """Returns a setting's value if it cannot contain a person's text; otherwise only whether it is set."""
    from pydantic import SecretStr

    value = getattr(settings, name)
    if isinstance(value, int | float):
        return str(value)
    if not (value.get_secret_value() if isinstance(value, SecretStr) else value):
        return "none"
    if name == "method":
        return _method(value)
    return str(value) if value in _known_values(settings, name) else "set"


def _method(value: str) -> str:
    """Returns one of our methods with the values of its parameters; "set" for another package's, whose name may be private."""
    from noderag_local.retrieval.method_spec import read_spec
    from noderag_local.retrieval.retriever import METHODS, canonical

    try:
        return canonical(value) if read_spec(value).name in METHODS else "set"
    except SettingsError:
        return "set"


def _known_values(settings: Settings, name: str) -> tuple[str, ...]:
    if name in ("model", "embedding_model"):
        from noderag_local.models.llm.gguf_files.catalog import catalog

        return tuple(entry.name for entry in catalog())
    return tuple(map(str, get_args(type(settings).model_fields[name].annotation))) if name == "theme" else ()


def _vault(folder: Path | None) -> Iterator[str]:
    from noderag_local.interfaces.cli.options import opened_vault

    started = time.monotonic()
    try:
        with opened_vault(folder) as opened:
            yield from _counts(opened.stats())
            yield from _kind(opened)
            yield f"opened and counted in {time.monotonic() - started:.2f} s"
            yield from _search(opened)
    except NoderagError as error:
        yield f"not read: {type(error).__name__}"


def _counts(stats: Stats) -> Iterator[str]:
    from noderag_local.models.embedding.model_files import MODEL_NAME
    from noderag_local.models.llm.gguf_files.catalog import catalog

    known = {MODEL_NAME, *(entry.name for entry in catalog())}
    yield f"{stats.files} files, {stats.documents} documents, {stats.chunks} chunks, {stats.sentences} sentences"
    yield f"{stats.tokens} tokens, {stats.embeddings} embeddings, {stats.size_bytes} bytes"
    yield f"layers: {_listed((layer, None) for layer in stats.layers)}"
    yield f"nodes: {_listed(stats.nodes)}"
    yield f"edges: {_listed(stats.edges)}"
    # What stands behind the name may be of a file of the user.
    embedding_model = stats.embedding_model.partition(",")[0]
    yield f"embedding model: {embedding_model if embedding_model in known else 'another one, or none'}"


def _listed(counts: object) -> str:
    pairs: list[tuple[Enum, int | None]] = list(counts)  # type: ignore[call-overload]
    return ", ".join(f"{kind.name}" + ("" if count is None else f" {count}") for kind, count in pairs) or "none"


def _kind(opened: Vault) -> Iterator[str]:
    from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME

    yield "encrypted" if os.path.lexists(opened.folder / KEY_FILE_NAME) else "not encrypted"


def _search(opened: Vault) -> Iterator[str]:
    """Measures the time of a search with a fixed question; the result is not shown."""
    found = opened.search("When does it begin?")
    yield f"a search: {len(found.sources)} sources in {found.elapsed_ms:.0f} ms"


def _log(*, errors: bool) -> Iterator[str]:
    from noderag_local.system.log.log_file import last_errors, last_records

    path = log_in_use()
    if path is None:
        yield "There is none: run what fails with --log FILE, then noderag doctor --report --log FILE."
        return
    try:
        found = last_errors(path, ERRORS) if errors else last_records(path, RECORDS)
    except OSError as error:
        yield f"cannot be read: {type(error).__name__}"
        return
    yield from found or ["none"]
