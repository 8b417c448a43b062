"""Runs that are kept in a file."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from helpers.eval_runs import FIVE, PROVENANCE, ROME, run

from noderag_local.domain.errors import SourceError
from noderag_local.domain.model_use import ModelUse
from noderag_local.evaluation.dump import Dump, read_dump
from noderag_local.evaluation.ranking import RankedDocument
from noderag_local.evaluation.runs import AnswerForm

QUESTIONS = (ROME, FIVE)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    ranking = (RankedDocument("Italy", 3), RankedDocument("Alps", 1))
    runs = [
        run(ROME, "It is Röma.", titles=("Italy",), lines=(3,), ranking=ranking, use=ModelUse(), seconds=0.5),
        run(FIVE, "five", answer="5", llm_tokens=40, use=ModelUse(1, 30, 0, 10)),
        run(FIVE, "five", method="bm25"),
    ]
    read = replace(PROVENANCE, stage_use={"decompose": ModelUse(4, 800, 0, 100)})
    with Dump(tmp_path / "d.jsonl", read, QUESTIONS) as dump:
        for one in runs:
            dump.keep(one)
    assert read_dump(tmp_path / "d.jsonl", QUESTIONS) == (read, runs)


def test_a_dump_without_its_questions_knows_the_lines_of_supports(tmp_path: Path) -> None:
    asked = replace(ROME, support_lines=(3,), kind="two-hop")
    found = run(asked, "Roma", titles=("Italy",), lines=(1,), ranking=(RankedDocument("Italy", 1),))
    with Dump(tmp_path / "d.jsonl", PROVENANCE, (asked,)) as dump:
        dump.keep(found)
    assert read_dump(tmp_path / "d.jsonl", ())[1] == [found]


def test_a_dump_of_an_earlier_version_reads_without_what_was_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    row = {"id": "1", "question": "?", "answers": ["Rome"], "supports": ["Italy"], "method": "naive", "budget": 9}
    row |= {"context": "Rome", "tokens": 1, "ms": 2.0, "titles": ["Italy"]}
    vault = {name: value for name, value in asdict(PROVENANCE).items() if name != "stage_use"}
    made_of = {"id": None, "made_of": vault}
    path.write_text(f"{json.dumps(made_of)}\n{json.dumps(row)}\n", encoding="utf-8")
    ((old,),) = (read_dump(path, ())[1],)
    assert (old.ranking, old.use, old.lines, old.seconds) == (None, None, (), 0)


def test_what_is_there_is_not_run_again_unless_an_answer_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    with Dump(path, PROVENANCE, QUESTIONS) as dump:
        dump.keep(run(ROME, "Roma"))
    with Dump(path, PROVENANCE, QUESTIONS) as again:
        assert again.has(ROME, "naive", 1000, None)
        assert not again.has(ROME, "naive", 1000, AnswerForm.SHORT)
        assert not again.has(ROME, "naive", 2000, None)
        assert not again.has(FIVE, "naive", 1000, None)
        again.keep(run(ROME, "Roma", answer="Rome"))
        assert [one.answer for one in again.of(["naive"], [1000])] == ["Rome"]
        assert again.has(ROME, "naive", 1000, AnswerForm.SHORT)
        assert not again.has(ROME, "naive", 1000, AnswerForm.FULL)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


def test_a_line_that_a_kill_cut_off_is_run_anew(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    with Dump(path, PROVENANCE, QUESTIONS) as dump:
        dump.keep(run(ROME, "Roma"))
        dump.keep(run(FIVE, "five"))
    path.write_bytes(path.read_bytes()[:-20])
    with Dump(path, PROVENANCE, QUESTIONS) as again:
        assert not again.has(FIVE, "naive", 1000, None)
        again.keep(run(FIVE, "five"))
    assert [one.question for one in read_dump(path, QUESTIONS)[1]] == [ROME, FIVE]
    assert all(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def test_runs_of_another_vault_or_model_are_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    with Dump(path, PROVENANCE, QUESTIONS):
        pass
    with pytest.raises(SourceError, match="another vault"):
        Dump(path, replace(PROVENANCE, state="b2"), QUESTIONS)
    with pytest.raises(SourceError, match="model none, and now it is tiny"):
        Dump(path, replace(PROVENANCE, model="tiny"), QUESTIONS)
    with pytest.raises(SourceError, match="another file or server"):
        Dump(path, replace(PROVENANCE, identity="tiny f00d"), QUESTIONS)
    with pytest.raises(SourceError, match="answer_tokens None, and now it is 60"):
        Dump(path, replace(PROVENANCE, answer_tokens=60), QUESTIONS)
    with pytest.raises(SourceError, match=r"did not note its version, and now it is noderag 9\.1"):
        Dump(path, replace(PROVENANCE, version="9.1"), QUESTIONS)


@pytest.mark.parametrize("text", ["", "no JSON\n", '{"id": "1"}\n', '{"made_of": {"name": "x"}}\n', "[]\n"])
def test_what_is_no_dump_is_told_by_its_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=r"other\.jsonl"):
        read_dump(path, QUESTIONS)


def test_runs_about_other_questions_tell_them_and_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    with Dump(path, PROVENANCE, QUESTIONS) as dump:
        dump.keep(run(ROME, "Roma"))
        dump.keep(run(FIVE, "five"))
    assert [one.question for one in read_dump(path, ())[1]] == [ROME, FIVE]
    mended = replace(ROME, answers=("Oslo",))
    assert read_dump(path, (mended,))[1][0].question == mended
    with Dump(path, PROVENANCE, (FIVE,)) as one:
        assert [kept.question for kept in one.of(["naive"], [1000])] == [FIVE]


def test_a_run_of_another_question_with_the_same_id_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    with Dump(path, PROVENANCE, QUESTIONS) as dump:
        dump.keep(run(ROME, "Roma"))
    edited = replace(ROME, question="Which town?")
    assert read_dump(path, (edited,))[1][0].question == ROME
    with Dump(path, PROVENANCE, (edited,)) as again:
        assert not again.has(edited, "naive", 1000, None)
        assert again.of(["naive"], [1000]) == []


def test_without_a_file_nothing_is_kept_but_known() -> None:
    with Dump(None, PROVENANCE, QUESTIONS) as dump:
        dump.keep(run(FIVE, "five"))
        assert dump.has(FIVE, "naive", 1000, None)
