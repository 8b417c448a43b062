"""Every request to a model is counted, with its tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.domain.model_use import ModelUse
from noderag_local.evaluation.metered_model import Meter, MeteredEngine, MeteredModel
from noderag_local.models.language_model import LanguageModel
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.scripted import ScriptedEngine


class Opened(ScriptedEngine):
    """A scripted engine that can be closed."""

    def close(self) -> None:
        """Does nothing, as it holds nothing."""


def request(text: str) -> Request:
    return Request((Message(Role.USER, text),), 9)


def test_streams_weighings_and_batches_count_with_their_tokens() -> None:
    engine, meter = Opened("Oslo", "yes", "Oslo", "one", "two"), Meter()
    metered = MeteredEngine(engine, meter)
    stream = metered.stream(request("Where?"))
    assert stream.finish() == stream.result
    assert meter.take() == stream.result.use
    assert stream.result.use.calls == 1 and stream.result.use.written_tokens > 0
    metered.likelihoods(request("Is it?"), ["yes", "no"])
    metered.likeliest(request("Which?"), ["Oslo", "Bergen"], 1)
    texts = [outcome.text for outcome in metered.generate([request("One?"), request("Two?")])]
    assert texts == ["one", "two"]
    assert meter.take().calls == 4 == len(engine.history) - 1
    assert meter.take() == ModelUse()


def test_a_stream_that_is_dropped_or_fails_counts_nothing() -> None:
    meter = Meter()
    metered = MeteredEngine(Opened("One two three four.", RuntimeError("gone")), meter)
    stream = metered.stream(request("Where?"))
    next(stream)
    stream.close()
    with pytest.raises(RuntimeError, match="gone"):
        metered.stream(request("Where?")).finish()
    assert meter.take() == ModelUse()


def test_answers_are_counted_and_what_a_method_asks_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LanguageModel, "engine", lambda _: Opened("Oslo", "Bergen"))
    meter = Meter()
    model = MeteredModel(LanguageModel(load_settings(models_dir=tmp_path)), meter)
    answering = model.engine()
    assert answering is not None and answering is model.engine()
    answering.stream(request("Where?")).finish()
    assert meter.take().calls == 1
    model.needed().stream(request("Where?")).finish()
    assert meter.take().calls == 0


def test_uses_add_up() -> None:
    assert ModelUse(1, 20, 5, 3) + ModelUse(2, 10, 0, 4) == ModelUse(3, 30, 5, 7)
    assert ModelUse(1, 20, 5, 3).worked_tokens == 18
