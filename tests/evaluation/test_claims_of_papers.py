"""The scripts that test what the papers claim: verdicts, folds without shared sub-questions, an oracle's statements."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from noderag_local.evaluation.bootstrap import mean_interval
from noderag_local.evaluation.dump import Dump
from noderag_local.evaluation.provenance import Provenance
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.runs import Run
from noderag_local.extraction.statements.numbered_text import NumberedText
from noderag_local.extraction.statements.statement_lines import parse
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import turns
from noderag_local.retrieval.retriever import canonical

BENCH = Path(__file__).parents[2] / "scripts" / "bench"
QUESTION = EvalQuestion(
    "2hop__1_2",
    "Who wrote the book that Runa lent to Ilse?",
    ("Bruno Kask",),
    supports=("Runa (friend)", "Kiln (book)"),
)


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCH)
    return import_module(name)


def test_every_claim_names_methods_as_dumps_do(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = script("claims", monkeypatch).read_claims()
    assert {claim.paper for claim in claims} == {"NodeRAG", "KET-RAG", "ArchRAG", "LightRAG", "this project"}
    for claim in claims:
        assert bool(claim.untestable) != bool(claim.ahead and claim.behind and claim.budget), claim.says
        for method in {claim.ahead, claim.behind} - {"", "noderag-held-out"}:
            assert canonical(method) == method


@pytest.mark.parametrize(
    ("within", "both", "each", "expected"),
    [
        (0.0, [10.0] * 9, ([10.0] * 5, [10.0] * 4), "**confirmed**"),
        (0.0, [-10.0] * 9, ([-10.0] * 5, [-10.0] * 4), "**refuted**"),
        (0.0, [-10.0, 10.0] * 5, ([-10.0, 10.0], [-10.0, 10.0]), "open"),
        (0.0, [-10.0, 10.0] * 5, ([-10.0] * 5, [10.0] * 5), "mixed"),
        (5.0, [-4.0] * 9, ([-4.0] * 5, [-4.0] * 4), "**confirmed**"),
    ],
)
def test_a_verdict_follows_from_the_intervals(
    within: float, both: list[float], each: tuple[list[float], ...], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = script("claims", monkeypatch)
    claim = claims.Claim("paper", "says", "where", "naive", "bm25", 1000, within)
    assert claims.verdict(claim, mean_interval(both), [mean_interval(one) for one in each]) == expected


def test_the_table_is_made_of_dumps(tmp_path: Path) -> None:
    questions = [EvalQuestion(str(number), "Where?", ("Porto",)) for number in range(20)]
    asked = [{"id": one.id, "question": one.question, "answer": "Porto"} for one in questions]
    (tmp_path / "qa.json").write_text(json.dumps(asked), encoding="utf-8")
    with Dump(tmp_path / "dump.jsonl", Provenance("v", "s", "", 1, 1, 1, {}), questions) as dump:
        for one in questions:
            dump.keep(Run(one, "hippo", 12000, "In Porto.", 3, 1.0, ()))
            dump.keep(Run(one, "naive", 12000, "In Braga.", 3, 1.0, ()))
    command = [sys.executable, "claims.py", "--corpus", "dev", tmp_path / "qa.json", tmp_path / "dump.jsonl"]
    done = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, check=True)
    row = next(
        line for line in done.stdout.splitlines() if line.startswith("| HippoRAG is ahead of plain RAG (table 3, MuSi")
    )
    assert row.endswith("| +100.0 (+100.0 to +100.0) | +100.0 (+100.0 to +100.0) | **confirmed** |")
    assert "| not measured |" in done.stdout


def test_questions_that_share_a_step_are_in_one_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    folds = script("nested_folds", monkeypatch)
    ids = [
        "2hop__1_2",
        "3hop1__3_4_5",
        "2hop__2_4",
        "p-00",
        "p-01",
        *(f"2hop__{at}_{at + 1}" for at in range(10, 60, 2)),
    ]
    groups = folds.linked(ids)
    assert groups[0] == groups[1] == groups[2]
    assert len(set(groups)) == len(ids) - 2
    of = folds.folds(ids, 5)
    assert of[0] == of[1] == of[2]
    assert {of.count(fold) for fold in range(5)} <= {5, 6, 7}


def test_an_oracle_states_gold_names_that_the_parser_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = script("oracle", monkeypatch).Oracle(["Kiln (book)", "Tallinn"], [QUESTION], steps=False)
    chunk = NumberedText.of(
        "Kiln", ["It was written by Bruno Kask in Tallinn, and nobody knows for how long.", "It is long."]
    )
    asked = Request((Message(Role.SYSTEM, "Find facts."), Message(Role.USER, str(chunk))), 400)
    parsed = parse(oracle.reply(asked), chunk)
    assert ("Kiln", "Bruno Kask") in {(one.subject, one.object) for one in parsed.statements}
    assert parsed.rejected == 0


@pytest.mark.parametrize(("steps", "expected"), [(False, "Runa"), (True, "Runa, Kiln")])
def test_an_oracle_lists_the_names_of_a_question_or_of_its_steps(
    steps: bool, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = script("oracle", monkeypatch).Oracle(["Kiln (book)"], [QUESTION], steps=steps)
    asked = Message(Role.USER, f"Question: {QUESTION.question}")
    assert oracle.reply(Request((*turns("papers.noderag", "question_entities"), asked), 64)) == expected
    levels = oracle.reply(Request((*turns("papers.lightrag", "light_keywords"), asked), 64))
    assert levels.splitlines()[0] == f"Low: {expected}"
    assert oracle.reply(Request((Message(Role.SYSTEM, "Write an entry."), Message(Role.USER, "Name: Kiln")), 64)) == ""
