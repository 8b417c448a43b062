"""For every test: no network but the machine's own, and none of the settings of whoever runs it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from noderag_local import offline
from noderag_local.config import Settings, load_settings

# The product's own guard holds for the tests as well. It is installed before any test module is imported.
offline.install()


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is remembered of this machine is that of the tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NODERAG_STATE", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Defaults alone, whatever the machine's settings file and variables say; only the models folder may be named."""
    for name in os.environ:
        if name.startswith("NODERAG_") and name not in ("NODERAG_MODELS_DIR", "NODERAG_STATE"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NODERAG_SETTINGS", str(Path(tmp_path_factory.getbasetemp()) / "no-settings.toml"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Those of a vault where no language model is installed."""
    return load_settings(models_dir=tmp_path / "no-models")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A library that tries the network and swallows the refusal must not go unnoticed."""
    for violation in offline.violations():
        print(f"\nnetwork refused: {violation.call} to {violation.target}, from {violation.caller}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
