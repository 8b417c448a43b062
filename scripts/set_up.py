"""Installs what the lock files name into .venv; `scripts/run` and `scripts/test` call it when their stamp is out of date.

    set_up.py search|run|test STAMP

`search` is everything but llama.cpp, which takes minutes to compile; set_up_answers.py does that in the background.

Only the standard library, as it runs before anything is installed. It can be killed at any moment: the stamp is
written last, and the next run mends packages that were left half installed. Only one set-up works at a time.
"""

from __future__ import annotations

import csv
import fcntl
import os
import platform
import re
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
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PYTHON_VERSION = ".".join(platform.python_version_tuple()[:2])
LARGE = ("torch", "torchgen", "transformers", "sympy", "scipy", "sklearn")
"""Packages of which few modules are imported. Python compiles those when they are first imported; the bytecode of all of them
would take 0.2 GB and half a minute."""
NINJA_STEP = re.compile(r"\[(\d+)/(\d+)\] ")
"""How ninja begins the line of each finished step."""
LAST_LINES = 40
"""How many lines of a failed pip are shown."""
NO_TILES = "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
"""What tells GCC and Clang to leave Intel's tiles alone."""
PROFILES = {"search": ("search",), "run": ("search", "run"), "test": ("search", "run", "test")}
"""What can be set up, and which stamps it earns: each comes on top of the one before."""
MODEL_NOT_FETCHED = VENV / ".model-not-fetched"
"""Says that the language model could not be had, so that not each start tries again."""
LLAMA = "llama-cpp-python"


class SetUpError(Exception):
    """The set-up cannot go on; the message says why and what to do."""


class PipFailed(SetUpError):
    """pip ended with an error, which it has printed."""


def main() -> int:
    profile, stamp = sys.argv[1:]
    try:
        with only_one_at_a_time() as lock:
            if not is_stamped(profile, stamp):
                started = time.monotonic()
                set_up(profile, lock)
                MODEL_NOT_FETCHED.unlink(missing_ok=True)
                write_stamps(profile, stamp)
                say(f"all is set up, {time.monotonic() - started:.0f} s")
    except SetUpError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("stopped; run the same command again to go on")
        return 130
    return 0


def set_up(profile: str, lock: int) -> None:
    say(f"installing into {VENV}")
    with step("virtual environment"):
        make_environment()
        mend_packages()
    with scratch_folder() as scratch:
        pip = Pip(lock, scratch)
        with step("build tools"):
            pip.install("--require-hashes", "-r", str(REQUIREMENTS / "build.txt"))
        with step("torch, CPU build (0.2 GB)"):
            install_torch(pip)
        if profile != "search":
            with step("llama.cpp"):
                install_llama(pip, scratch, show_compiled)
        with step("locked packages"):
            install_locked(pip, profile, scratch)
        with step("noderag itself"):
            pip.install("--no-build-isolation", "--editable", str(ROOT))
        with step("bytecode"):
            compile_modules()
        with step("checks"):
            refuse_cuda()
            if profile != "search":
                pip.run("check")


def add_llama(lock: int, compiled: Callable[[int, int], None]) -> None:
    """Makes of the set-up `search` the set-up `run`.

    Args:
        lock: descriptor of the lock, for pip to inherit.
        compiled: is told how many of how many steps of compiling are done.
    """
    mend_packages()
    with scratch_folder() as scratch:
        pip = Pip(lock, scratch)
        install_llama(pip, scratch, compiled)
        pip.run("check")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder for pip; what a killed set-up left in it is removed."""
    scratch = VENV / ".tmp"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    yield scratch
    shutil.rmtree(scratch, ignore_errors=True)


def install_locked(pip: Pip, profile: str, scratch: Path) -> None:
    """All packages of a profile's lock file, for `search` without llama.cpp."""
    file = REQUIREMENTS / f"{profile}.txt"
    if profile == "search":
        everything = (REQUIREMENTS / "run.txt").read_text(encoding="ascii")
        file = scratch / "search.txt"
        file.write_text(everything.replace(locked(LLAMA), ""), encoding="ascii")
    pip.install("--require-hashes", "--no-build-isolation", "-r", str(file))


class Pip:
    """The environment's own pip; obeys the user's pip configuration."""

    def __init__(self, lock: int, scratch: Path) -> None:
        # Children inherit the lock: should this process be killed, a pip that lives on still keeps others out.
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
        """Without dependencies: the locks name every package, and torch's would bring CUDA.

        Args:
            flags: for the compilers of C and C++, after the user's own.
            heard: is told every line of what pip and the programs that it starts say.
        """
        self.run("install", "--no-deps", "--no-compile", *arguments, flags=flags, heard=heard)

    def run(self, command: str, *arguments: str, flags: str = "", heard: Callable[[str], None] | None = None) -> None:
        """Raises SetUpError when pip fails; what it said stands above the message."""
        compilers = {name: f"{os.environ.get(name, '')} {flags}".strip() for name in ("CFLAGS", "CXXFLAGS") if flags}
        # Twice quiet: a pip with several package folders warns of every package that one of them does not hold.
        loudness = ["--verbose"] if heard else ["--quiet", "--quiet"]
        last: deque[str] = deque(maxlen=LAST_LINES)
        with subprocess.Popen(
            [str(PYTHON), "-m", "pip", command, *loudness, *arguments],
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
                f"pip {command} failed (exit {running.returncode}): its reason stands above. Without a network, name a "
                "folder with the packages by PIP_FIND_LINKS. Run the same command again to go on from here."
            )


def install_torch(pip: Pip) -> None:
    """The CPU build alone: on Linux the public index has a build that wants gigabytes of CUDA packages."""
    if has_torch():
        return
    for index in ([], ["--index-url", TORCH_CPU_INDEX]):
        try:
            pip.install(*index, "--require-hashes", "-r", str(REQUIREMENTS / "torch.txt"))
            break
        except SetUpError:
            where = "at pytorch.org" if index else "where pip is configured to look; trying pytorch.org"
            say(f"  the wheel that requirements/torch.txt names was not found {where}")
    if not has_torch():
        raise SetUpError(
            f"No wheel of torch that requirements/torch.txt names by its hash could be had for Python {PYTHON_VERSION} on "
            f"{sys.platform} {platform.machine()}. Check the network, or put the wheel into a folder and name that: "
            f"PIP_FIND_LINKS=FOLDER. It is published at {TORCH_CPU_INDEX}/torch/. The CUDA build is not wanted."
        )


def has_torch() -> bool:
    """Whether the build that torch.txt names for this system is installed."""
    of_system = (line for line in read_lines(REQUIREMENTS / "torch.txt") if f"sys_platform == '{sys.platform}'" in line)
    versions = {line.split()[0].removeprefix("torch==") for line in of_system}
    return any((site_packages() / f"torch-{version}.dist-info").is_dir() for version in versions)


def has_tiles() -> bool:
    """Whether this is a processor of Intel with tiles for matrices (AMX)."""
    try:
        return " amx_tile" in Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False


def install_llama(pip: Pip, scratch: Path, compiled: Callable[[int, int], None]) -> None:
    """Compiles llama.cpp, or takes the build that pip kept from before.

    Where llama.cpp uses Intel's tiles, it crashes on its first prompt (ggml-org/llama.cpp issue 20824). There it is compiled
    anew where it was compiled with them, also where pip kept such a one from before.
    """
    anew: tuple[str, ...] = ()
    if has_tiles():
        if not uses_tiles():
            return
        anew = ("--force-reinstall", "--no-cache-dir")
    if not list(site_packages().glob("llama_cpp_python-*.dist-info")):
        check_compilers()
        say("  compiled now, once: about five minutes on two cores (nothing, if pip kept it from before)")
    wanted = scratch / "llama.txt"
    wanted.write_text(locked(LLAMA), encoding="ascii")

    def heard(line: str) -> None:
        if found := NINJA_STEP.match(line.strip()):
            compiled(int(found[1]), int(found[2]))

    arguments = (*anew, "--no-build-isolation", "--require-hashes", "-r", str(wanted))
    pip.install(*arguments, flags=NO_TILES if anew else "", heard=heard)


def show_compiled(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r[set-up]   {done} of {total} steps", end="" if done < total else "\n", file=sys.stderr, flush=True)


def uses_tiles() -> bool:
    """Whether the installed llama.cpp does, or none is installed."""
    libraries = list((site_packages() / "llama_cpp" / "lib").glob("libggml-cpu*"))
    return not libraries or any(b"ggml_backend_amx_mul_mat" in library.read_bytes() for library in libraries)


def locked(name: str) -> str:
    """A package's lines of the lock file, with its hashes."""
    lines = (REQUIREMENTS / "run.txt").read_text(encoding="ascii").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(f"{name}=="))
    last = next(number for number in range(first, len(lines)) if not lines[number].endswith("\\"))
    return "\n".join(lines[first : last + 1]) + "\n"


def compile_modules() -> None:
    """All other packages: the processes that read files may not write bytecode, and would compile at each start."""
    packages = str(site_packages())
    skipped = f"{re.escape(packages)}/({'|'.join(LARGE)})/"
    command = [str(PYTHON), "-m", "compileall", "-q", "-j", "0", "-x", skipped, packages]
    # Some packages hold templates that are no Python; the exit code says so, and it does not matter.
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def refuse_cuda() -> None:
    installed = {path.name.split("-")[0].replace("_", "-").lower() for path in site_packages().glob("*.dist-info")}
    unwanted = sorted(installed.intersection(read_lines(REQUIREMENTS / "cuda.txt")))
    if unwanted:
        raise SetUpError(
            f"CUDA packages are installed in {VENV} and use gigabytes for nothing: {', '.join(unwanted)}. "
            f"Remove them: {PYTHON} -m pip uninstall {' '.join(unwanted)}"
        )


def check_compilers() -> None:
    """Raises SetUpError naming every tool that building llama.cpp takes and that is not there."""
    wanted = {
        "a C compiler": (os.environ.get("CC"), "cc", "gcc", "clang"),
        "a C++ compiler": (os.environ.get("CXX"), "c++", "g++", "clang++"),
        "CMake": ("cmake",),
    }
    missing = [name for name, commands in wanted.items() if not any(c and shutil.which(c) for c in commands)]
    if not missing:
        return
    if sys.platform == "darwin":
        way_out = "xcode-select --install; brew install cmake"
    else:
        way_out = "Debian or Ubuntu: apt install build-essential cmake; Fedora: dnf install gcc gcc-c++ cmake"
    raise SetUpError(f"Building llama.cpp takes {' and '.join(missing)}, not found here. {way_out}")


def make_environment() -> None:
    """A virtual environment whose Python and pip both start; one that is past mending is made anew."""
    if PYTHON.exists() and starts(str(PYTHON), "-m", "pip", "--version"):
        return
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True, stdout=sys.stderr)
    except subprocess.CalledProcessError as error:
        raise SetUpError(
            f"{sys.executable} cannot make a virtual environment; its reason stands above. On Debian and Ubuntu: "
            f"apt install python{PYTHON_VERSION}-venv"
        ) from error


def starts(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def mend_packages() -> None:
    """Forgets packages that a killed pip left half installed, so that the next installs them again.

    pip itself takes a package for installed as soon as its metadata folder is there.
    """
    for leftover in site_packages().glob("~*"):
        shutil.rmtree(leftover, ignore_errors=True)
    for metadata in site_packages().glob("*.dist-info"):
        if not is_whole(metadata):
            say(f"  {metadata.name.removesuffix('.dist-info')} was left half installed; it is installed again")
            shutil.rmtree(metadata)


def is_whole(metadata: Path) -> bool:
    """Whether every file in the package's RECORD is there with the size that stands there."""
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


@contextmanager
def only_one_at_a_time() -> Iterator[int]:
    """Holds a lock that the system releases when this process and its children end, however they end."""
    with the_lock() as descriptor:
        if not is_taken(descriptor):
            say("another set-up is at work here; waiting for it (.venv/set-up.log)")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor


@contextmanager
def the_lock() -> Iterator[int]:
    """The lock's descriptor, not taken yet."""
    descriptor = os.open(ROOT / "scripts", os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_taken(descriptor: int) -> bool:
    """Takes the lock, if nobody has it; returns whether this process has it now."""
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


if __name__ == "__main__":
    sys.exit(main())
