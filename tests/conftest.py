"""For every test: no network but the machine's own, and none of the settings of whoever runs it."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from run_order import ByFile, is_slow, rank

from noderag_local.config import Settings, load_settings
from noderag_local.interfaces.cli import low_priority
from noderag_local.system import offline

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

# The product's own guard holds for the tests as well. It is installed before any test module is imported.
offline.install()
refused_in_processes: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out the slow folders, SLOW in tests/run_order.py")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.getoption("--quick") and is_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long begins first, so that no process is left with it at the end."""
    items.sort(key=lambda item: rank(item.path))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, object, object]:
    """A process of pytest-xdist cannot send what is no UTF-8: names of files that tests print, for instance."""
    return _sendable((yield))


def _sendable(part: object) -> object:
    if isinstance(part, str):
        return part.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(part, dict):
        return {_sendable(key): _sendable(value) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return type(part)(map(_sendable, part))
    return part


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is remembered of this machine is that of the tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NODERAG_STATE", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def own_signals() -> None:
    """Signals from a terminal reach the processes that tests start, whatever started the tests.

    A shell lets its background jobs ignore Ctrl-C and Ctrl-\\, `nohup` lets a command ignore that its terminal closes,
    and every process inherits that from its parent.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGTSTP"):
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    for name in ("SIGHUP", "SIGQUIT"):
        ignored = getattr(signal, name, None)
        if ignored is not None and signal.getsignal(ignored) is signal.SIG_IGN:
            # A handler is not inherited as "ignored" is, and the tests themselves still outlive the terminal.
            signal.signal(ignored, lambda *_: None)


@pytest.fixture(scope="session", autouse=True)
def own_priority() -> Iterator[None]:
    """A command that tests run in this process leaves its priority as it is: it would be lowered for all later tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(low_priority, "low_priority", nullcontext)
        yield


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Defaults alone, whatever the machine's settings file and variables say; only the models folder may be named."""
    for name in os.environ:
        if name.startswith("NODERAG_") and name not in ("NODERAG_MODELS_DIR", "NODERAG_STATE"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NODERAG_SETTINGS", str(Path(tmp_path_factory.getbasetemp()) / "no-settings.toml"))
    # Commands in processes of their own leave nothing behind; the tests of the resident process turn it on.
    monkeypatch.setenv("NODERAG_RESIDENT", "false")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Those of a vault where no language model is installed."""
    return load_settings(models_dir=tmp_path / "no-models")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    """Keeps what one of several processes says about the network."""
    refused_in_processes.extend(getattr(node, "workeroutput", {}).get("refused", ()))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A library that tries the network and swallows the refusal must not go unnoticed."""
    refused = [f"{tried.call} to {tried.target}, from {tried.caller}" for tried in offline.violations()]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["refused"] = refused
        return
    for line in refused + refused_in_processes:
        print(f"\nnetwork refused: {line}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
