"""Installs what the lock files name into .venv; `scripts/run` and `scripts/test` call it when their stamp is out of date.

    set_up.py search|run|test STAMP

`search` is everything but llama.cpp, which takes minutes to compile; set_up_answers.py compiles it in the background.

It uses only the standard library, because it runs before anything is installed. It can be killed at any moment: the stamp is
written last, and the next run repairs packages that were left half installed. Only one set-up runs at a time.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import time
from pathlib import Path

from set_up_environment import (
    MODEL_NOT_FETCHED,
    PYTHON,
    PYTHON_VERSION,
    REQUIREMENTS,
    ROOT,
    VENV,
    Pip,
    SetUpError,
    is_stamped,
    locked,
    make_environment,
    mend_packages,
    only_one_at_a_time,
    read_lines,
    say,
    scratch_folder,
    site_packages,
    step,
    write_stamps,
)
from set_up_llama import LLAMA, install_llama, show_compiled

TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
LARGE = ("torch", "torchgen", "transformers", "sympy", "scipy", "sklearn", "ray")
"""Packages of which few modules are imported. Python compiles those modules when they are first imported; the bytecode of all modules
would take 0.2 GB and half a minute."""


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


def install_locked(pip: Pip, profile: str, scratch: Path) -> None:
    """Installs all packages of a profile's lock file; for `search`, all but llama.cpp."""
    file = REQUIREMENTS / f"{profile}.txt"
    if profile == "search":
        everything = (REQUIREMENTS / "run.txt").read_text(encoding="ascii")
        file = scratch / "search.txt"
        file.write_text(everything.replace(locked(LLAMA), ""), encoding="ascii")
    pip.install("--require-hashes", "--no-build-isolation", "-r", str(file))


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


def compile_modules() -> None:
    """Compiles all other packages: the processes that read files may not write bytecode and would compile at each start."""
    packages = str(site_packages())
    skipped = f"{re.escape(packages)}/({'|'.join(LARGE)})/"
    command = [str(PYTHON), "-P", "-m", "compileall", "-q", "-j", "0", "-x", skipped, packages]
    # Some packages contain templates that are not valid Python, so the exit code is ignored.
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def refuse_cuda() -> None:
    installed = {path.name.split("-")[0].replace("_", "-").lower() for path in site_packages().glob("*.dist-info")}
    unwanted = sorted(installed.intersection(read_lines(REQUIREMENTS / "cuda.txt")))
    if unwanted:
        raise SetUpError(
            f"CUDA packages are installed in {VENV} and use gigabytes for nothing: {', '.join(unwanted)}. "
            f"Remove them: {PYTHON} -m pip uninstall {' '.join(unwanted)}"
        )


if __name__ == "__main__":
    sys.exit(main())
