"""The set-up: exact locks with hashes and without CUDA, search before llama.cpp, packages that a killed pip left half."""

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from noderag_local.models.llm.answers_set_up import read_set_up

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements"


def locked(name: str) -> dict[str, list[str]]:
    """Package -> its hashes, of one lock file."""
    text = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    blocks = re.findall(r"^([a-z0-9][a-z0-9.-]*)==\S+[^\n]*\n((?:    --hash=[^\n]*\n)*)", text, re.MULTILINE)
    return {package: re.findall(r"sha256:[0-9a-f]{64}", hashes) for package, hashes in blocks}


def wanted(requirements: list[str]) -> set[str]:
    return {match[0] for text in requirements if (match := re.match(r"[a-z0-9-]+", text))}


@pytest.mark.parametrize("name", ["build", "run", "test", "package"])
def test_every_package_is_pinned_with_hashes(name: str) -> None:
    packages = locked(name)
    assert len(packages) > 5
    assert [package for package, hashes in packages.items() if not hashes] == []


@pytest.mark.parametrize("name", ["build", "run", "test", "package"])
def test_no_cuda_and_no_torch(name: str) -> None:
    unwanted = {*(REQUIREMENTS / "cuda.txt").read_text(encoding="utf-8").split(), "torch"}
    assert unwanted.isdisjoint(locked(name))
    assert not [package for package in locked(name) if package.startswith(("nvidia", "cuda", "triton"))]


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize(
    ("system", "processor", "build"),
    [("linux", "x86_64", "+cpu"), ("linux", "aarch64", "+cpu"), ("darwin", "arm64", "")],
)
def test_torch_is_one_wheel_with_its_hash_for_each_machine(
    system: str, processor: str, build: str, python: str
) -> None:
    (version,) = re.findall(r"^torch==(\S+)$", (REQUIREMENTS / "torch.in").read_text(encoding="utf-8"), re.MULTILINE)
    machine = f"sys_platform == '{system}' and platform_machine == '{processor}' and python_version == '{python}'"
    lines = (REQUIREMENTS / "torch.txt").read_text(encoding="utf-8").splitlines()
    at = lines.index(f"torch=={version}{build} ; {machine} \\")
    assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}", lines[at + 1])


def test_no_wheel_of_torch_is_named_without_its_hash() -> None:
    lines = (REQUIREMENTS / "torch.txt").read_text(encoding="utf-8").splitlines()
    wheels = [line for line in lines if line.startswith("torch==")]
    hashes = [line.strip() for line in lines if line.strip().startswith("--hash=")]
    assert len(wheels) == len(set(hashes)) == 9


def test_a_wheel_of_torch_with_another_hash_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "torch-2.13.0+cpu-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(
            "torch-2.13.0+cpu.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0+cpu\n"
        )
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--no-index", "--isolated"]
    wanted = ["--find-links", str(tmp_path), "--require-hashes", "-r", str(REQUIREMENTS / "torch.txt")]
    done = subprocess.run([*command, "--ignore-installed", *wanted], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr


def test_the_locks_hold_what_the_project_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = wanted(project["dependencies"])
    assert needed - locked("run").keys() == {"torch"}
    assert needed | wanted(project["optional-dependencies"]["test"]) <= locked("test").keys() | {"torch"}


def test_the_test_tools_come_on_top_of_the_same_versions() -> None:
    def pins(name: str) -> set[str]:
        return set(re.findall(r"^[a-z0-9.-]+==\S+", (REQUIREMENTS / f"{name}.txt").read_text("utf-8"), re.MULTILINE))

    assert pins("run") < pins("test")


@pytest.fixture
def site_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with two packages, `whole` and `half`."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import set_up_environment

    monkeypatch.setattr(set_up_environment, "VENV", tmp_path)
    folder = tmp_path / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    for package in ("whole", "half"):
        (folder / f"{package}-1.0.dist-info").mkdir(parents=True)
        (folder / f"{package}.py").write_text("x = 1\n", encoding="utf-8")
        record = f"{package}.py,sha256=x,6\n{package}-1.0.dist-info/RECORD,,\n__pycache__/{package}.pyc,,\n"
        (folder / f"{package}-1.0.dist-info" / "RECORD").write_text(record, encoding="utf-8")
    return folder


@pytest.mark.parametrize("damage", ["file gone", "file cut", "no record", "empty record"])
def test_a_package_that_a_killed_pip_left_half_is_forgotten(site_packages: Path, damage: str) -> None:
    import set_up_environment

    match damage:
        case "file gone":
            (site_packages / "half.py").unlink()
        case "file cut":
            (site_packages / "half.py").write_text("x", encoding="utf-8")
        case "no record":
            (site_packages / "half-1.0.dist-info" / "RECORD").unlink()
        case "empty record":
            (site_packages / "half-1.0.dist-info" / "RECORD").write_text("", encoding="utf-8")
    (site_packages / "~half").mkdir()
    set_up_environment.mend_packages()
    assert sorted(path.name for path in site_packages.glob("*-info")) == ["whole-1.0.dist-info"]
    assert not (site_packages / "~half").exists()


def test_whole_packages_are_left_alone(site_packages: Path) -> None:
    import set_up_environment

    set_up_environment.mend_packages()
    assert len(list(site_packages.glob("*.dist-info"))) == 2


class WrittenPip:
    """Keeps what it should install, and says what pip would say."""

    def __init__(self, says: Sequence[str] = ()) -> None:
        self.requirements = ""
        self.arguments: tuple[str, ...] = ()
        self._says = says

    def install(self, *arguments: str, flags: str = "", heard: Callable[[str], None] | None = None) -> None:
        self.arguments = arguments
        self.requirements = Path(arguments[-1]).read_text(encoding="utf-8")
        for line in self._says if heard else ():
            heard(line)


def test_search_is_everything_but_llama_cpp(site_packages: Path, tmp_path: Path) -> None:
    import set_up

    pip = WrittenPip()
    set_up.install_locked(pip, "search", tmp_path)
    packages = set(re.findall(r"^([a-z0-9.-]+)==", pip.requirements, re.MULTILINE))
    assert locked("run").keys() - packages == {"llama-cpp-python"}
    assert "--require-hashes" in pip.arguments


def test_compiling_tells_how_far_it_is(site_packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import set_up_llama

    monkeypatch.delenv("NODERAG_LLAMA_WHEEL", raising=False)
    monkeypatch.setattr(set_up_llama, "has_tiles", lambda: False)
    told = []
    pip = WrittenPip(
        ["  Building wheel", "  [1/193] /usr/bin/g++ a.cpp\n", "  [2/193] /usr/bin/g++ b.cpp\n", "[x] [3/4]"]
    )
    set_up_llama.install_llama(pip, tmp_path, lambda done, total: told.append((done, total)))
    assert told == [(1, 193), (2, 193)]
    assert pip.requirements.startswith("llama-cpp-python==")
    assert "--hash=sha256:" in pip.requirements


@pytest.mark.parametrize(
    "wheel",
    [
        "https://example.org/llama.whl",
        "http://example.org/llama.whl#sha256=" + "0" * 64,
        "llama.whl#sha256=" + "0" * 64,
    ],
)
def test_a_wheel_of_llama_cpp_comes_with_its_hash_or_not_at_all(
    site_packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wheel: str
) -> None:
    import set_up_llama
    from set_up_environment import SetUpError

    monkeypatch.setenv("NODERAG_LLAMA_WHEEL", wheel)
    pip = WrittenPip()
    with pytest.raises(SetUpError, match="#sha256="):
        set_up_llama.install_llama(pip, tmp_path, lambda done, total: None)
    assert pip.arguments == ()


def test_a_part_that_broke_off_is_told_as_a_problem(
    site_packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interface would otherwise say that the language model answers from now on."""
    import set_up_answers

    monkeypatch.setattr(set_up_answers, "PROGRESS", tmp_path / "set-up.json")

    def break_off(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(set_up_answers, "lower_priority", lambda: None)
    monkeypatch.setattr(set_up_answers, "fetch_model", lambda *_: None)
    monkeypatch.setattr(set_up_answers, "add_llama", break_off)
    with pytest.raises(OSError, match="No space left"):
        set_up_answers.work("stamp", tmp_path, 0)
    state = read_set_up(tmp_path / "set-up.json")
    assert (state.is_at_work, state.parts) == (False, ())
    (problem,) = state.problems
    assert problem.startswith("Compiling llama.cpp broke off.")


def test_two_set_ups_do_not_work_at_once(site_packages: Path) -> None:
    import set_up_environment

    with set_up_environment.only_one_at_a_time(), set_up_environment.the_lock() as lock:
        assert not set_up_environment.is_taken(lock)
    with set_up_environment.the_lock() as lock:
        assert set_up_environment.is_taken(lock)
