"""Installs llama.cpp for the set-up: compiled for this processor, or from a wheel that the user names."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from set_up_environment import Pip, SetUpError, locked, mend_packages, say, scratch_folder, site_packages

LLAMA = "llama-cpp-python"
NINJA_STEP = re.compile(r"\[(\d+)/(\d+)\] ")
"""Beginning of the line that ninja prints for each finished step."""
PREBUILT = "NODERAG_LLAMA_WHEEL"
PREBUILT_WHEEL = re.compile(r"(https|file)://\S+\.whl#sha256=[0-9a-f]{64}")
NO_TILES = "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
"""Flags that make GCC and Clang not use Intel's matrix tiles."""


def install_llama(pip: Pip, scratch: Path, compiled: Callable[[int, int], None]) -> None:
    """Compiles llama.cpp, or installs the build that pip cached earlier.

    If llama.cpp uses Intel's matrix tiles, it crashes on its first prompt (ggml-org/llama.cpp issue 20824). On processors with
    tiles, a build that uses them is therefore compiled again without them, and pip's cache is ignored.
    """
    if PREBUILT in os.environ:
        if not has_llama():
            install_prebuilt(pip, scratch, os.environ[PREBUILT])
        return
    anew: tuple[str, ...] = ()
    if has_tiles():
        if has_llama() and not uses_tiles():
            return
        anew = ("--force-reinstall", "--no-cache-dir")
    if not has_llama():
        check_compilers()
        say("  compiling it takes about five minutes on two cores, once; no time if pip has it in its cache")
    wanted = scratch / "llama.txt"
    wanted.write_text(locked(LLAMA), encoding="ascii")

    def heard(line: str) -> None:
        if found := NINJA_STEP.match(line.strip()):
            compiled(int(found[1]), int(found[2]))

    arguments = (*anew, "--no-build-isolation", "--require-hashes", "-r", str(wanted))
    pip.install(*arguments, flags=NO_TILES if anew else "", heard=heard)


def has_llama() -> bool:
    """Returns whether the version that the lock file names is installed."""
    version = locked(LLAMA).split()[0].removeprefix(f"{LLAMA}==")
    return (site_packages() / f"llama_cpp_python-{version}.dist-info").is_dir()


def install_prebuilt(pip: Pip, scratch: Path, wheel: str) -> None:
    """Installs a wheel that the user names with its hash; the lock file cannot name it, because wheels differ by processor."""
    if not PREBUILT_WHEEL.fullmatch(wheel):
        raise SetUpError(
            f"{PREBUILT} must be the https: or file: address of a wheel followed by #sha256= and its hash, for example "
            f"https://example.org/llama_cpp_python-0.3.36-py3-none-any.whl#sha256=…; it is {wheel}"
        )
    wanted = scratch / "prebuilt.txt"
    wanted.write_text(f"{LLAMA} @ {wheel}\n", encoding="utf-8")
    pip.install("--require-hashes", "--only-binary=:all:", "-r", str(wanted))
    if not has_llama():
        raise SetUpError(
            f"{PREBUILT} names another version than requirements/run.txt. Name a wheel of {locked(LLAMA).split()[0]}."
        )


def has_tiles() -> bool:
    """Returns whether this is an Intel processor with matrix tiles (AMX)."""
    try:
        return " amx_tile" in Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False


def uses_tiles() -> bool:
    """Returns whether the installed llama.cpp uses tiles, or none is installed."""
    libraries = list((site_packages() / "llama_cpp" / "lib").glob("libggml-cpu*"))
    return not libraries or any(b"ggml_backend_amx_mul_mat" in library.read_bytes() for library in libraries)


def show_compiled(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r[set-up]   {done} of {total} steps", end="" if done < total else "\n", file=sys.stderr, flush=True)


def check_compilers() -> None:
    """Raises SetUpError that names every missing tool that building llama.cpp needs."""
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
    raise SetUpError(f"Building llama.cpp needs {' and '.join(missing)}, not found here. To install: {way_out}")


def add_llama(lock: int, compiled: Callable[[int, int], None]) -> None:
    """Extends the set-up `search` to the set-up `run`.

    Args:
        lock: descriptor of the lock, which pip inherits.
        compiled: called with the number of finished compile steps and their total.
    """
    mend_packages()
    with scratch_folder() as scratch:
        pip = Pip(lock, scratch)
        install_llama(pip, scratch, compiled)
        pip.run("check")
