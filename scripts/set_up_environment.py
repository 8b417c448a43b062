"""Manages the virtual environment of the set-up: its pip, half-installed packages, the lock and the stamps.

It uses only the standard library, because it runs before anything is installed.
"""

from __future__ import annotations

import csv
import fcntl
import os
import platform
import shutil
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = ROOT / "requirements"
LAST_LINES = 40
"""Maximum number of lines that are shown of a failed pip."""
PYTHON_VERSION = ".".join(platform.python_version_tuple()[:2])
PROFILES = {"search": ("search",), "run": ("search", "run"), "test": ("search", "run", "test")}
"""Profile → stamps that it writes; each profile includes the one before."""
MODEL_NOT_FETCHED = VENV / ".model-not-fetched"
"""File that says that the language model could not be fetched, so that not every start tries again."""


class SetUpError(Exception):
    """The set-up cannot continue; the message says why and what to do."""


class PipFailed(SetUpError):
    """pip ended with an error, which it has printed."""


class Pip:
    """The environment's own pip; obeys the user's pip configuration."""

    def __init__(self, lock: int, scratch: Path) -> None:
        # Children inherit the lock, so that a pip that outlives this process still keeps other set-ups out.
        self._lock = lock
        self._environment = {
            **os.environ,
            "PATH": f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
            "TMPDIR": str(scratch),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_INPUT": "1",
            "PIP_REQUIRE_VIRTUALENV": "1",
        }
        # Without a network pip would try each package six times with growing pauses.
        self._environment.setdefault("PIP_RETRIES", "2")

    def install(self, *arguments: str, flags: str = "", heard: Callable[[str], None] | None = None) -> None:
        """Installs packages without dependencies: the lock files name every package, and torch's dependencies would bring CUDA.

        Args:
            arguments: further arguments of `pip install`.
            flags: flags for the C and C++ compilers, added to the user's own.
            heard: called with every line that pip and its child processes print.
        """
        self.run("install", "--no-deps", "--no-compile", *arguments, flags=flags, heard=heard)

    def run(self, command: str, *arguments: str, flags: str = "", heard: Callable[[str], None] | None = None) -> None:
        """Runs pip; raises PipFailed if it fails, after printing what pip said."""
        compilers = {name: f"{os.environ.get(name, '')} {flags}".strip() for name in ("CFLAGS", "CXXFLAGS") if flags}
        # --quiet twice: pip with several package folders warns about every package that is missing in one of them.
        loudness = ["--verbose"] if heard else ["--quiet", "--quiet"]
        last: deque[str] = deque(maxlen=LAST_LINES)
        with subprocess.Popen(
            # -P: no module may come from the folder that one stands in.
            [str(PYTHON), "-P", "-m", "pip", command, *loudness, *arguments],
            env={**self._environment, **compilers},
            pass_fds=[self._lock],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if heard else sys.stderr,
            stderr=subprocess.STDOUT if heard else None,
            encoding="utf-8",
            errors="replace",
        ) as running:
            for line in running.stdout or ():
                last.append(line)
                if heard:
                    heard(line)
        if running.returncode:
            print("".join(last), end="", file=sys.stderr, flush=True)
            raise PipFailed(
                f"pip {command} failed (exit {running.returncode}); the reason is above. Without a network, put the packages "
                "into a folder and set PIP_FIND_LINKS to it. Then run the same command again; it continues from here."
            )


def make_environment() -> None:
    """Makes a virtual environment, unless there is one whose Python and pip both start."""
    if PYTHON.exists() and starts(str(PYTHON), "-P", "-m", "pip", "--version"):
        return
    try:
        subprocess.run([sys.executable, "-P", "-m", "venv", "--clear", str(VENV)], check=True, stdout=sys.stderr)
    except subprocess.CalledProcessError as error:
        raise SetUpError(
            f"{sys.executable} cannot make a virtual environment; the reason is above. On Debian and Ubuntu, run: "
            f"apt install python{PYTHON_VERSION}-venv"
        ) from error


def starts(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def mend_packages() -> None:
    """Removes the metadata of packages that a killed pip left half installed, so that the next pip installs them again.

    pip takes a package for installed as soon as its metadata folder exists.
    """
    for leftover in site_packages().glob("~*"):
        shutil.rmtree(leftover, ignore_errors=True)
    for metadata in site_packages().glob("*.dist-info"):
        if not is_whole(metadata):
            say(f"  {metadata.name.removesuffix('.dist-info')} was only half installed and is installed again")
            shutil.rmtree(metadata)


def is_whole(metadata: Path) -> bool:
    """Returns whether every file in the package's RECORD exists and has the recorded size."""
    try:
        with open(metadata / "RECORD", encoding="utf-8", newline="") as record:
            rows = list(csv.reader(record))
    except OSError:
        return False
    return bool(rows) and all(is_there(metadata.parent, *row) for row in rows)


def is_there(folder: Path, name: str, digest: str, size: str) -> bool:
    if name.endswith(".pyc"):
        return True
    try:
        actual = os.stat(os.path.join(folder, name)).st_size
    except OSError:
        return False
    return not size or actual == int(size)


def site_packages() -> Path:
    return next((VENV / "lib").glob("python3.*")) / "site-packages"


def read_lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def locked(name: str) -> str:
    """Returns the lines of a package in the lock file, with its hashes."""
    lines = (REQUIREMENTS / "run.txt").read_text(encoding="ascii").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(f"{name}=="))
    last = next(number for number in range(first, len(lines)) if not lines[number].endswith("\\"))
    return "\n".join(lines[first : last + 1]) + "\n"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Gives an empty folder for pip; removes what a killed set-up left in it."""
    scratch = VENV / ".tmp"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    yield scratch
    shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def only_one_at_a_time() -> Iterator[int]:
    """Holds a lock that the system releases when this process and its children end, however they end."""
    with the_lock() as descriptor:
        if not is_taken(descriptor):
            say("another set-up is running here; waiting for it to end (its log may be in .venv/set-up.log)")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor


@contextmanager
def the_lock() -> Iterator[int]:
    """Gives the descriptor of the lock, which is not taken yet."""
    descriptor = os.open(ROOT / "scripts", os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_taken(descriptor: int) -> bool:
    """Takes the lock if no other process has it; returns whether this process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_stamped(profile: str, stamp: str) -> bool:
    try:
        return (VENV / f".set-up-{profile}").read_text(encoding="utf-8").strip() == stamp
    except OSError:
        return False


def write_stamps(profile: str, stamp: str) -> None:
    for earned in PROFILES[profile]:
        fresh = VENV / f".set-up-{earned}.new"
        fresh.write_text(stamp + "\n", encoding="utf-8")
        fresh.replace(VENV / f".set-up-{earned}")


@contextmanager
def step(name: str) -> Iterator[None]:
    started = time.monotonic()
    say(f"{name} …")
    yield
    say(f"{name}: {time.monotonic() - started:.1f} s")


def say(text: str) -> None:
    print(f"[set-up] {text}", file=sys.stderr, flush=True)
