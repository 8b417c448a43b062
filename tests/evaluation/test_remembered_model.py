"""A model that remembers what it wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.domain.errors import SourceError
from noderag_local.evaluation.remembered_model import RememberedModel
from noderag_local.models.language_model import LanguageModel
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.scripted import ScriptedEngine


def request(text: str, max_tokens: int = 9) -> Request:
    return Request((Message(Role.USER, text),), max_tokens)


def test_the_same_request_is_answered_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ScriptedEngine("Oslo", "Bergen")
    monkeypatch.setattr(engine, "close", lambda: None, raising=False)
    monkeypatch.setattr(LanguageModel, "engine", lambda _: engine)
    path, settings = tmp_path / "cache.db", load_settings(models_dir=tmp_path)
    first = RememberedModel(settings, path)
    opened = first.engine()
    assert opened is not None
    stream = opened.stream(request("Where?"))
    assert "".join(stream) == "Oslo"
    cost = stream.result
    first.close()
    again = RememberedModel(settings, path).engine()
    assert again is not None
    stream = again.stream(request("Where?"))
    assert ("".join(stream), stream.result) == ("Oslo", cost)
    assert "".join(again.stream(request("Where?", max_tokens=8))) == "Bergen"
    assert len(engine.history) == 2


def test_a_file_that_is_something_else(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("notes " * 50, encoding="utf-8")
    with pytest.raises(SourceError, match=r"notes\.md"):
        RememberedModel(load_settings(models_dir=tmp_path), path)
    assert path.read_text(encoding="utf-8") == "notes " * 50
