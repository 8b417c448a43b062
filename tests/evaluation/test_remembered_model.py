"""A model that remembers what it wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.domain.errors import SourceError
from noderag_local.evaluation.remembered_model import RememberedModel, WrittenTexts
from noderag_local.models.language_model import LanguageModel
from noderag_local.models.llm.engine import Completion, Finish, Message, Request, Role
from noderag_local.models.llm.scripted import ScriptedEngine


def request(text: str, max_tokens: int = 9) -> Request:
    return Request((Message(Role.USER, text),), max_tokens)


def test_the_same_request_is_answered_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ScriptedEngine("Oslo", "Bergen")
    monkeypatch.setattr(engine, "close", lambda: None, raising=False)
    monkeypatch.setattr(LanguageModel, "engine", lambda _: engine)
    path, settings = tmp_path / "cache.jsonl", load_settings(models_dir=tmp_path)
    first = RememberedModel(settings, path)
    opened = first.engine()
    assert opened is not None
    stream = opened.stream(request("Where?"))
    assert "".join(stream) == "Oslo"
    cost = stream.result
    first.close()
    second = RememberedModel(settings, path)
    again = second.engine()
    assert again is not None
    stream = again.stream(request("Where?"))
    assert ("".join(stream), stream.result) == ("Oslo", cost)
    assert "".join(again.stream(request("Where?", max_tokens=8))) == "Bergen"
    assert len(engine.history) == 2
    second.close()


def test_a_line_that_a_kill_cut_is_passed_over(tmp_path: Path) -> None:
    path, cost = tmp_path / "cache.jsonl", Completion(Finish.STOP, 3, 0, 1, 0.1, 0.2)
    written = WrittenTexts(path)
    written.add("a", "Oslo", cost)
    written.close()
    path.write_bytes(path.read_bytes() + b'\n["b", "Ber')
    written = WrittenTexts(path)
    assert (written.get("a"), written.get("b")) == (("Oslo", cost), None)
    written.add("b", "Bergen", cost)
    written.close()
    written = WrittenTexts(path)
    assert written.get("b") == ("Bergen", cost)
    written.close()


def test_a_file_that_is_something_else(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("notes " * 50, encoding="utf-8")
    with pytest.raises(SourceError, match=r"notes\.md"):
        RememberedModel(load_settings(models_dir=tmp_path), path)
    assert path.read_text(encoding="utf-8") == "notes " * 50
