"""The real application over a vault of a test's own notes, without a language model or with a scripted one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from interfaces.tui.conftest import ScriptedModel

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.session import Session
from noderag_local.models.llm.scripted import ScriptedEngine


@contextmanager
def app_over(vault: Path, engine: ScriptedEngine | None = None, **settings: object) -> Iterator[NoderagApp]:
    """The application; its vault is closed behind it."""
    usual = {"vault": vault, "models_dir": vault / "no-models", "follow_folders": False}
    session = Session(load_settings(**{**usual, **settings}), lambda chosen: ScriptedModel(chosen, engine))
    try:
        yield NoderagApp(session)
    finally:
        session.close()
