"""`noderag questions`, with a model server on the loopback that writes."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.command_line import Noderag
from helpers.model_server import Exchange, ModelServer, serving

from noderag_local.evaluation.questions import read_open_questions
from noderag_local.interfaces.cli.questions.demo_command import notes_folder


def written(exchange: Exchange) -> None:
    """Two lines for whatever is asked; of the questions of the second user, one repeats."""
    asked = exchange.document["messages"][-1]["content"]
    if "questions that" in asked:
        second = "bicycle" if "neighbour" in asked else "server"
        exchange.say(f"1. Which trips are planned?\n2. Who looks after the {second}?")
    elif "tasks" in asked:
        exchange.say("1. Plan the year\n2. Ask friends")
    else:
        exchange.say("1. A neighbour of the writer\n2. The writer's sister")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serving(answer=written) as running:
        monkeypatch.setenv("NODERAG_SERVER_URL", running.url)
        yield running


def test_questions_are_written_for_judge_and_nothing_is_asked_twice(
    noderag: Noderag, site: ModelServer, tmp_path: Path
) -> None:
    target, cache = tmp_path / "open.json", tmp_path / "cache.jsonl"
    words = ("questions", target, "--corpus", notes_folder(), "--vault", tmp_path / "v", "--cache", cache)
    words = (*words, "--users", 2, "--tasks", 1, "--each", 2)
    done = noderag(*words)
    assert done.code == 0, done.err
    assert "3 questions in" in done.out
    assert "1 are missing, because the model wrote no others" in done.out
    assert f"noderag judge {target}" in done.out
    assert [one.question for one in read_open_questions(target)] == [
        "Which trips are planned?",
        "Who looks after the bicycle?",
        "Who looks after the server?",
    ]
    assert json.loads(target.read_text("utf-8"))[0]["user"] == "A neighbour of the writer"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert "Tomasz" in site.asked[0]["messages"][-1]["content"], "the model sees what the notes are about"
    calls, before = len(site.asked), target.read_bytes()
    assert noderag(*words).code == 3
    again = noderag(*words, "--force", "--json")
    assert (again.document["written"], again.document["missing"]) == (3, 1)
    assert (len(site.asked), target.read_bytes()) == (calls, before)


def test_without_a_model_it_says_what_to_do(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("questions", tmp_path / "q.json", "--corpus", notes_folder(), "--vault", tmp_path / "v")
    assert done.code == 6
    assert "Writing questions needs a language model" in done.err


def test_a_model_that_writes_nothing_usable_leaves_no_file(
    noderag: Noderag, site: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(answer=lambda exchange: exchange.say("I would rather not.")) as mute:
        monkeypatch.setenv("NODERAG_SERVER_URL", mute.url)
        done = noderag("questions", tmp_path / "q.json", "--corpus", notes_folder(), "--vault", tmp_path / "v")
    assert done.code == 3
    assert "wrote no question" in done.err
    assert not (tmp_path / "q.json").exists()
