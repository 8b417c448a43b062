"""`noderag ask` with a model server: it answers, and every way in which it fails is told in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_line import Noderag
from helpers.model_server import Exchange, serving

QUESTION = "Who keeps Borealis, the disk with the backups of my home server?"


def test_it_answers_with_citations(noderag: Noderag, sample_vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answer=lambda exchange: exchange.say("Jonas keeps", " Borealis [1].")) as server:
        monkeypatch.setenv("NODERAG_SERVER_URL", server.url)
        done = noderag("ask", QUESTION, "--vault", sample_vault)
    assert done.code == 0
    passages, _, answer = done.out.partition("\n\n")
    assert passages.startswith("[1] ") and answer.startswith("Jonas keeps Borealis")
    assert "fake: first words after" in done.out
    assert "Borealis" in server.asked[0]["messages"][-1]["content"]


def test_one_that_dies_in_mid_answer(noderag: Noderag, sample_vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(exchange: Exchange) -> None:
        exchange.begin()
        exchange.piece("Jonas keeps ")

    with serving(answer=dies) as server:
        monkeypatch.setenv("NODERAG_SERVER_URL", server.url)
        done = noderag("ask", QUESTION, "--vault", sample_vault)
    assert done.code == 6
    assert done.err.startswith("Error: The model server at ")
    assert "stopped in the middle of an answer" in done.err


def test_none_there(noderag: Noderag, sample_vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as server:
        monkeypatch.setenv("NODERAG_SERVER_URL", server.url)
    done = noderag("ask", QUESTION, "--vault", sample_vault, "--json")
    assert done.code == 6
    assert "cannot be reached" in done.document["error"]["message"]
    assert noderag("ask", QUESTION, "--vault", sample_vault, "--no-llm").code == 0


def test_one_that_may_not_be_reached(noderag: Noderag, sample_vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODERAG_SERVER_URL", "http://8.8.8.8")
    done = noderag("ask", QUESTION, "--vault", sample_vault)
    assert done.code == 2
    assert "never sent there" in done.err
