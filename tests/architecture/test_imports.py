"""What loads what: the command starts light, each large library has one room, and the layers hold."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import noderag_local

PACKAGE = Path(noderag_local.__file__).parent
HEAVY = ["torch", "transformers", "sentence_transformers", "sklearn", "scipy", "llama_cpp", "igraph", "networkx"]

ROOMS = {
    "llama_cpp": ["llm/"],
    "sentence_transformers": ["embed/"],
    "transformers": ["embed/"],
    "torch": ["embed/"],
    "sqlite3": ["store/", "each_alone.py"],
    "sqlite_utils": ["store/"],
    "usearch": ["store/"],
    "igraph": ["graph/"],
    "leidenalg": ["graph/"],
    "networkx": ["graph/"],
    "sklearn": ["graph/"],
    "textual": ["tui/"],
    "tomlkit": ["settings_file.py"],
    "cryptography": ["sealed_pieces.py"],
    "sqlcipher3": ["store/sqlite_file.py"],
    "keyring": ["store/desktop_keyring.py"],
    "urllib.request": ["llm/https_source.py"],
    "pickle": [],
    "requests": [],
    "httpx": [],
}
"""Library -> the folders or files of the package that may import it."""


@pytest.mark.parametrize(
    "module",
    [
        "noderag_local.cli",
        "noderag_local.vault",
        "noderag_local.cli.models",
        "noderag_local.tui.run",
        "noderag_local.tui.screens.chat",
        "noderag_local.tui.screens.library",
        "noderag_local.tui.screens.explore",
        "noderag_local.tui.screens.models",
        "noderag_local.tui.screens.settings",
        "noderag_local.tui.screens.welcome",
        # What the screens read without a question being asked.
        "noderag_local.search",
        "noderag_local.library",
        "noderag_local.exhibit",
        "noderag_local.atlas.entity_page",
        "noderag_local.atlas.themes",
        "noderag_local.atlas.timeline",
    ],
)
def test_importing_it_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("library", ROOMS)
def test_a_library_is_imported_in_its_room_alone(library: str) -> None:
    allowed = ROOMS[library]
    strangers = [
        place
        for path in sorted(PACKAGE.rglob("*.py"))
        for place in places_of_import(path, library)
        if not any(place.startswith(room) for room in allowed)
    ]
    assert strangers == []


def places_of_import(path: Path, library: str) -> Iterator[str]:
    """file:line of every import of the library, at the top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        if any(name == library or name.startswith(f"{library}.") for name in names):
            yield f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno}"


def test_the_layers_hold() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [lint, "--no-cache"], cwd=PACKAGE.parent, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout
