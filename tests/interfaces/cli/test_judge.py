"""`noderag judge`, with a model server on the loopback that answers and judges."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from helpers.command_line import Noderag
from helpers.model_server import Exchange, ModelServer, serving

from noderag_local.evaluation.questions import read_open_questions
from noderag_local.interfaces.cli.questions.demo_command import notes_folder

QUESTIONS = Path(str(files("noderag_local.evaluation.demo"))) / "open-questions.json"


def answer_or_judge(exchange: Exchange) -> None:
    """As a judge, what stands second."""
    text = exchange.document["messages"][-1]["content"]
    if "Answer A:" in text:
        exchange.say("Comprehensiveness: B\nDiversity: B\nEmpowerment: B\nOverall: B")
    else:
        exchange.say("From memory." if "Sources" not in text else "By the notes [1].")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serving(answer=answer_or_judge) as running:
        monkeypatch.setenv("NODERAG_SERVER_URL", running.url)
        yield running


def test_two_methods_are_held_against_each_other_and_nothing_is_asked_twice(
    noderag: Noderag, site: ModelServer, tmp_path: Path
) -> None:
    words = ("judge", QUESTIONS, "--corpus", notes_folder(), "--vault", tmp_path / "v", "--limit", 2)
    words = (*words, "--methods", "noderag,zero-shot", "--budget", 200, "--dump", tmp_path / "j.jsonl")
    done = noderag(*words)
    assert done.code == 0, done.err
    assert "noderag : zero-shot" in done.out
    assert "100 % of the verdicts change with the order" in done.out
    calls = len(site.asked)
    judged = [asked for asked in site.asked if "Answer A:" in asked["messages"][-1]["content"]]
    assert len(judged) == 4  # in both orders
    again = noderag(*words, "--json")
    assert len(site.asked) == calls
    assert [(rate["criterion"], rate["questions"], rate["flips"]) for rate in again.document] == [
        ("comprehensiveness", 2, 100),
        ("diversity", 2, 100),
        ("empowerment", 2, 100),
        ("overall", 2, 100),
    ]
    rows = [json.loads(line) for line in (tmp_path / "j.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 9
    assert rows[1]["answer"] == "By the notes."


def test_verdicts_that_cannot_be_read_are_counted(
    noderag: Noderag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "q.json"
    path.write_text(json.dumps([{"id": "1", "question": "Who is Marta?", "answer": "A friend."}]), "utf-8")
    with serving(answer=lambda exchange: exchange.say("Overall, a close call.")) as running:
        monkeypatch.setenv("NODERAG_SERVER_URL", running.url)
        words = ("judge", path, "--corpus", notes_folder(), "--vault", tmp_path / "v", "--budget", 200)
        done = noderag(*words, "--methods", "noderag,gold")
    assert done.code == 0
    assert "2 of 2 verdicts could not be read" in done.err


def test_a_method_is_held_against_the_known_answers(noderag: Noderag, site: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    known = [
        {"id": "1", "question": "Who is Marta?", "answer": "A  friend."},
        {"id": "2", "question": "Who is Tomasz?"},
    ]
    path.write_text(json.dumps(known), "utf-8")
    words = ("judge", path, "--corpus", notes_folder(), "--vault", tmp_path / "v", "--budget", 200, "--json")
    done = noderag(*words, "--methods", "noderag,gold")
    assert done.code == 0, done.err
    assert {(rate["other"], rate["questions"]) for rate in done.document} == {("gold", 1)}
    shown = [one["messages"][-1]["content"] for one in site.asked if "Answer A:" in one["messages"][-1]["content"]]
    assert all("A friend." in text for text in shown) and len(shown) == 2
    path.write_text(json.dumps(known[1:]), "utf-8")
    refused = noderag(*words, "--methods", "noderag,gold")
    assert refused.code == 2
    assert "no question of" in refused.out


def test_without_a_model_it_says_what_to_do(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("judge", QUESTIONS, "--corpus", notes_folder(), "--vault", tmp_path / "v")
    assert done.code == 6
    assert "Judging needs a language model" in done.err
    assert "noderag models get" in done.err


@pytest.mark.parametrize(("methods", "told"), [("noderag", "two methods"), ("noderag,oracle", "'oracle'")])
def test_methods_that_are_no_pair(noderag: Noderag, tmp_path: Path, methods: str, told: str) -> None:
    done = noderag("judge", QUESTIONS, "--corpus", tmp_path, "--vault", tmp_path / "v", "--methods", methods)
    assert done.code == 2
    assert told in done.err


def test_open_questions_ship_with_the_sample_notes() -> None:
    assert len(read_open_questions(QUESTIONS)) == 10
