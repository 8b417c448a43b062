"""How an extra is added depends on where noderag was installed from, and is never looked up by name."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from noderag_local.manual.pages import page, pages
from noderag_local.system.extras import installing

PIP = [sys.executable, "-P", "-m", "pip", "install"]
UV = ["uv", "pip", "install", "--python", sys.executable]
EDITABLE = {"url": "file:///home/ana/my%20noderag", "dir_info": {"editable": True}}
FOLDER = {"url": "file:///home/ana/noderag", "dir_info": {}}
WHEEL = {"url": "file:///home/ana/noderag_local-0.1.0-py3-none-any.whl", "archive_info": {}}
ELSEWHERE = {"url": "https://example.org/noderag_local-0.1.0-py3-none-any.whl", "archive_info": {}}


@pytest.mark.parametrize(
    ("record", "installer", "told"),
    [
        (EDITABLE, "pip", [*PIP, "-e", "/home/ana/my noderag[mcp]"]),
        (FOLDER, "pip", [*PIP, "/home/ana/noderag[mcp]"]),
        (WHEEL, "pip", [*PIP, "/home/ana/noderag_local-0.1.0-py3-none-any.whl[mcp]"]),
        (WHEEL, "uv", [*UV, "/home/ana/noderag_local-0.1.0-py3-none-any.whl[mcp]"]),
        (ELSEWHERE, "pip", [*PIP, "PATH_OF_THE_WHEEL[mcp]"]),
        (None, "pip", [*PIP, "PATH_OF_THE_WHEEL[mcp]"]),
    ],
)
def test_the_command_names_what_noderag_was_installed_from(
    record: object, installer: str, told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "noderag_local-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: noderag-local\nVersion: 0.1.0\n", "utf-8")
    (metadata / "INSTALLER").write_text(f"{installer}\n", "utf-8")
    if record is not None:
        (metadata / "direct_url.json").write_text(json.dumps(record), "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert shlex.split(installing("mcp")) == told


def test_where_noderag_is_not_installed_the_wheel_is_left_to_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert shlex.split(installing("mcp")) == [*PIP, "PATH_OF_THE_WHEEL[mcp]"]


def test_nothing_tells_anybody_to_install_the_name_from_an_index() -> None:
    package = Path(__file__).parents[2] / "noderag_local"
    texts = {str(path): path.read_text("utf-8") for path in package.rglob("*.py")}
    texts |= {one.name: page(one.name).text for one in pages()}
    assert [name for name, text in texts.items() if "noderag-local[" in text or "install noderag-local" in text] == []
