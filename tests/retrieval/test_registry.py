"""Methods that other packages bring; the one in the manual among them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import noderag_local
from noderag_local.vault.vault import Vault

PAGE = Path(noderag_local.__file__).parent / "manual" / "methods.md"
ENTRY_POINTS = """
[noderag_local.methods]
longest = longest_sentences:LongestSentences
lost = longest_sentences:Lost
naive = longest_sentences:LongestSentences
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the manual's example as pip would install it."""
    folder = tmp_path_factory.mktemp("packages")
    (example,) = re.findall(
        r"```python\n(# longest_sentences\.py\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    (folder / "longest_sentences.py").write_text(example, encoding="utf-8")
    info = folder / "longest_sentences-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: longest-sentences\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


def noderag(packages: Path, *words: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(packages)}
    return subprocess.run(
        [sys.executable, "-m", "noderag_local", *words], env=variables, capture_output=True, text=True, check=False
    )


def test_the_manuals_method_searches(packages: Path, vault: Vault) -> None:
    words = ("--vault", str(vault.folder), "--method", "longest", "--budget", "200", "--json")
    done = noderag(packages, "search", "Who was he?", *words)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["method"] == "longest"
    assert 0 < found["context_tokens"] <= 200
    lengths = [len(source["text"]) for source in found["sources"]]
    assert min(lengths) > 200


def test_what_cannot_be_loaded_names_its_package(packages: Path, vault: Vault) -> None:
    done = noderag(packages, "search", "Who?", "--vault", str(vault.folder), "--method", "lost")
    assert done.returncode == 2
    assert "longest-sentences" in done.stderr


def test_ours_keep_their_names_and_an_unknown_one_is_told_all(packages: Path, vault: Vault) -> None:
    done = noderag(packages, "search", "Who?", "--vault", str(vault.folder), "--method", "none", "--json")
    told = json.loads(done.stdout)["error"]["message"]
    assert told.count("naive") == 1
    assert told.endswith("longest, lost.")
