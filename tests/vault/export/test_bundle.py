"""A bundle installs with one command where there is no network, and only if it is as it was made."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.stub_wheel import write_stub_wheel

from noderag_local.domain.errors import SourceError
from noderag_local.vault.export.bundle import Bundle, write_bundle

STUB = """
import os, sys
def main():
    print(os.environ["NODERAG_MODELS_DIR"], os.environ["NODERAG_VAULT"], *sys.argv[1:], sep="|")
"""
NO_NETWORK = ["unshare", "--net", "--map-root-user"]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of noderag's name that prints what it is asked, so that installing it takes seconds."""
    folder = tmp_path_factory.mktemp("wheels")
    write_stub_wheel(folder, STUB)
    return folder


def write_stub(path: Path) -> None:
    path.write_text("the vault", encoding="utf-8")


@pytest.fixture
def made(wheels: Path, tmp_path: Path) -> Bundle:
    model = tmp_path / "tiny.gguf"
    model.write_bytes(b"GGUF" + bytes(1000))
    return write_bundle(tmp_path / "stick", wheels, [model], write_stub, force=False)


def install(stick: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Runs install.sh, without any network where the system lets us."""
    apart = NO_NETWORK if shutil.which("unshare") and not subprocess.call([*NO_NETWORK, "true"], stderr=-3) else []
    environment = {**os.environ, "NODERAG_PYTHON": sys.executable, "HOME": str(stick.parent)}
    command = [*apart, "sh", str(stick / "install.sh"), *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_one_command_installs_packages_models_and_vault_without_a_network(made: Bundle, tmp_path: Path) -> None:
    target = tmp_path / "where it's put"
    done = install(tmp_path / "stick", target, tmp_path / "secret")
    assert done.returncode == 0, done.stderr
    assert made.seal in done.stderr
    place = f"{target}/models|{target}/vault|import|{tmp_path}/stick/vault.jsonl|--vault|{target}/vault"
    assert done.stdout == f"{place}|--passphrase-file|{tmp_path}/secret\n"
    assert (target / "models" / "tiny.gguf").read_bytes() == (tmp_path / "tiny.gguf").read_bytes()
    asked = subprocess.run([target / "noderag", "ask", "a b"], capture_output=True, text=True, check=True)
    assert asked.stdout == f"{target}/models|{target}/vault|ask|a b\n"
    # A second run mends the installation, and leaves the vault that is there.
    (target / "vault").mkdir()
    (target / "vault" / "vault.sqlite").write_bytes(b"mine")
    again = install(tmp_path / "stick", target)
    assert (again.returncode, again.stdout) == (0, "") and "left as it is" in again.stderr


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda stick: flip(next((stick / "wheels").iterdir())),
        lambda stick: flip(stick / "vault.jsonl"),
        lambda stick: (stick / "models" / "tiny.gguf").unlink(),
        lambda stick: (stick / "wheels" / "evil-1.0-py3-none-any.whl").write_bytes(b""),
        lambda stick: (stick / "wheels" / "evil-1.0-py3-none-any.whl").symlink_to("/dev/null"),
    ],
)
def test_a_bundle_that_is_not_as_it_was_made_installs_nothing(
    made: Bundle, tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    spoil(tmp_path / "stick")
    done = install(tmp_path / "stick")
    assert done.returncode == 1
    assert "Nothing was installed" in done.stderr
    assert not (tmp_path / "noderag").exists()


def test_another_system_or_python_is_told_apart(made: Bundle, tmp_path: Path) -> None:
    script = tmp_path / "stick" / "install.sh"
    whole = script.read_text(encoding="utf-8")
    system, python = f"{os.uname().sysname} {os.uname().machine}", "{}.{}".format(*sys.version_info[:2])
    for old, new, said in ((system, "Plan9 vax", "for Plan9 vax"), (python, "3.99", "Python 3.99 is missing")):
        script.write_text(whole.replace(old, new), encoding="utf-8")
        done = install(tmp_path / "stick")
        assert done.returncode == 1 and said in done.stderr


def test_every_file_has_its_hash_and_only_the_owner_reads_it(made: Bundle, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    listed = dict(line.split("  ")[::-1] for line in (stick / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    found = {str(path.relative_to(stick)): path for path in stick.rglob("*") if path.is_file()}
    assert found.keys() - {"SHA256SUMS"} == listed.keys()
    assert all(hashlib.sha256(found[name].read_bytes()).hexdigest() == digest for name, digest in listed.items())
    assert {path.stat().st_mode & 0o077 for name, path in found.items() if name != "vault.jsonl"} == {0}
    assert (made.wheels, made.models, made.has_vault) == (1, ("tiny.gguf",), True)
    assert "@" not in (stick / "README.md").read_text(encoding="utf-8")


def test_what_is_missing_is_named(wheels: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no wheel of noderag"):
        write_bundle(tmp_path / "stick", tmp_path, [], None, force=False)
    with pytest.raises(SourceError, match="none cannot be read"):
        write_bundle(tmp_path / "stick", tmp_path / "none", [], None, force=False)
    assert not (tmp_path / "stick").exists()
    with pytest.raises(SourceError, match=r"none\.gguf cannot be read"):
        write_bundle(tmp_path / "stick", wheels, [tmp_path / "none.gguf"], None, force=False)
    (tmp_path / "a b.gguf").write_bytes(b"")
    with pytest.raises(SourceError, match="Rename it"):
        write_bundle(tmp_path / "other", wheels, [tmp_path / "a b.gguf"], None, force=False)
