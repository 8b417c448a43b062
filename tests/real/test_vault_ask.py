"""`Vault.ask` with the real model: what a person, evaluation and judging get for the same question."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.evaluation.judging.judging import give_answers
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.runs import AnswerForm, run_questions
from noderag_local.generation.citing.markers import MARKER
from noderag_local.generation.follow_up import Exchange
from noderag_local.interfaces.cli.run_command import run
from noderag_local.models.llm.engine import never
from noderag_local.vault.vault import Vault

NOTES = {
    "boiler.md": "# Boiler\n\nThe boiler was installed by Klaus Brandt in 2019. He lives in Graz.\n",
    "garden.md": "# Garden\n\nAnna planted three apple trees in the garden in March.\n",
}
QUESTION = "Which craftsman fitted the boiler?"


@pytest.fixture(scope="module")
def vault(model_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    folder = tmp_path_factory.mktemp("asked")
    notes = folder / "notes"
    notes.mkdir()
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    with Vault(folder / "vault", load_settings(models_dir=model_file.parent, answer_tokens=40)) as opened:
        opened.index([notes])
        yield opened


def test_the_answer_is_streamed_cited_and_the_same_every_time(vault: Vault) -> None:
    stream = vault.ask(QUESTION)
    text = "".join(stream)
    answer = stream.result
    assert answer.text == text.rstrip() and "Brandt" in text
    assert any(one.supported and one.numbers for one in answer.citations)
    assert answer.retrieval.tokens <= answer.retrieval.budget_tokens
    assert answer.completion is not None and answer.model
    assert vault.ask(QUESTION).finish().text == answer.text


def test_what_was_read_ahead_is_not_read_again_and_changes_no_word(vault: Vault) -> None:
    vault.ask("Who planted apple trees, and how tall are these?").finish()
    plain = vault.ask(QUESTION).finish()
    vault.ask("Who planted apple trees, and how tall are these?").finish()
    vault.read_ahead(QUESTION)
    ahead = vault.ask(QUESTION).finish()
    assert plain.completion is not None and ahead.completion is not None
    assert ahead.text == plain.text
    assert ahead.completion.reused_tokens >= plain.completion.reused_tokens


def test_a_follow_up_is_searched_for_by_what_it_means(vault: Vault) -> None:
    earlier = [Exchange(QUESTION, "Klaus Brandt fitted the boiler. [1]")]
    answer = vault.ask("Where does he live?", earlier=earlier).finish()
    assert "Brandt" in answer.asked_as and "Graz" in answer.text


def test_evaluation_and_judging_get_what_a_person_gets(
    vault: Vault, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(vault.settings.models_dir))
    monkeypatch.setenv("NODERAG_ANSWER_TOKENS", "40")
    budget, question = vault.settings.budget_tokens, EvalQuestion("1", QUESTION, ("Klaus Brandt",))
    words = ("ask", QUESTION, "--method", "noderag", "--vault", str(vault.folder), "--json")
    assert run(words) == 0
    person = json.loads(capsys.readouterr().out)
    (judged,) = give_answers(vault, [question], ["noderag"], budget, is_done=lambda *_: False, cancelled=never)
    assert judged.text == re.sub(rf"\s*(?:{MARKER.pattern})", "", person["answer"])
    (evaluated,) = run_questions(vault, [question], ["noderag"], [budget], form=AnswerForm.SHORT, cancelled=never)
    short = vault.ask(QUESTION, method="noderag", short=True).finish()
    assert evaluated.answer == short.text
    assert evaluated.tokens == person["stats"]["context_tokens"]


def test_the_shell_shows_passages_before_the_answer_and_quietly_the_answer_alone(
    vault: Vault, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(vault.settings.models_dir))
    monkeypatch.setenv("NODERAG_ANSWER_TOKENS", "40")
    answer = vault.ask(QUESTION).finish().text
    asked = ("ask", QUESTION, "--vault", str(vault.folder))
    assert run(asked) == 0
    shown = capsys.readouterr().out
    passage = "The boiler was installed by Klaus Brandt in 2019. He lives in Graz."
    assert shown.startswith("[1] ") and "boiler.md" in shown.splitlines()[0]
    assert shown.index(passage) < shown.index(answer)
    assert run((*asked, "--quiet")) == 0
    assert capsys.readouterr().out.strip() == answer
