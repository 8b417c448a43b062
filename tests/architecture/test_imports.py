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
    "llama_cpp": ["models/llm/"],
    "sentence_transformers": ["models/embedding/"],
    "transformers": ["models/embedding/"],
    "torch": ["models/embedding/"],
    "sqlite3": [
        "storage/",
        "generation/table_answers/table_database.py",
        "ingest/formats/references/zotero_database.py",
    ],
    "sqlite_utils": ["storage/"],
    "usearch": ["storage/"],
    "igraph": ["graph/", "papers/archrag/"],
    "leidenalg": ["graph/", "papers/archrag/"],
    "networkx": ["graph/", "papers/archrag/"],
    "sklearn": ["graph/", "papers/archrag/"],
    "textual": ["interfaces/tui/"],
    "mcp": ["interfaces/mcp/"],
    "textual_serve": ["interfaces/browser/"],
    "aiohttp": ["interfaces/browser/"],
    "starlette": ["interfaces/http/"],
    "uvicorn": ["interfaces/http/"],
    "tomlkit": ["interfaces/tui/settings/settings_file.py"],
    "cryptography": ["storage/encryption/sealed_pieces.py"],
    "sqlcipher3": ["storage/database/sqlite_file.py"],
    "keyring": ["storage/encryption/desktop_keyring.py"],
    "urllib.request": ["models/llm/gguf_files/https_source.py"],
    "pickle": [],
    "ray": ["system/batches/"],
    "requests": [],
    "httpx": [],
}
"""Library -> the folders or files of the package that may import it."""


@pytest.mark.parametrize(
    "module",
    [
        "noderag_local.interfaces.cli",
        "noderag_local.vault.vault",
        "noderag_local.interfaces.cli.machine.models_command",
        "noderag_local.interfaces.tui.shell.application",
        "noderag_local.interfaces.tui.chat.chat_screen",
        "noderag_local.interfaces.tui.library.library_screen",
        "noderag_local.interfaces.tui.explore.explore_screen",
        "noderag_local.interfaces.tui.models.models_screen",
        "noderag_local.interfaces.tui.settings.settings_screen",
        "noderag_local.interfaces.tui.library.welcome_screen",
        # What the screens read without a question being asked.
        "noderag_local.retrieval",
        "noderag_local.vault.browsing.library",
        "noderag_local.vault.browsing.show",
        "noderag_local.vault.browsing.entity_page",
        "noderag_local.vault.browsing.themes",
        "noderag_local.vault.browsing.timeline",
    ],
)
def test_importing_it_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("screen", ["chat.chat_screen", "library.welcome_screen"])
def test_the_first_screen_waits_for_no_numbers_and_no_formats(screen: str) -> None:
    """Both are needed when the first note is opened; before, they would take a third of the time to the first picture."""
    later = ["numpy", "noderag_local.ingest.formats.registry", "noderag_local.extraction.rules.document_reading"]
    code = (
        f"import sys, noderag_local.interfaces.tui.shell.application, noderag_local.interfaces.tui.{screen}; "
        f"print(*[name for name in {later!r} if name in sys.modules])"
    )
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
