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


def test_a_question_about_a_table_is_computed_by_a_query(model_file: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    rows = "2026-10-02,Penha,800\n2026-11-04,Areeiro,500\n2026-11-09,Penha,1200\n2026-11-20,Penha,1500\n"
    (notes / "swim.csv").write_text(f"date,pool,metres\n{rows}", encoding="utf-8")
    (notes / "diary.md").write_text("The water at the pool was cold, and I forgot my towel.\n", encoding="utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=model_file.parent)) as opened:
        opened.index([notes])
        answer = opened.ask("what is the sum of the metres that I swam at Penha?").finish()
    assert answer.text == "3500 (sum of metres) [1][2][3]"
    assert [source.first_line for source in answer.retrieval.sources] == [2, 4, 5]
    assert "SELECT SUM(metres) FROM swim" in answer.note
    assert answer.completion is not None and answer.model


def test_what_was_read_ahead_is_not_read_again_and_changes_no_word(model_file: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for year in range(1990, 2020):
        text = f"# The boiler in {year}\n\nIn {year} the boiler burned {year - 1500} kg of wood, and its valve was looked at twice.\n"
        (notes / f"{year}.md").write_text(text, encoding="utf-8")
    question, another = "Does the valve of the boiler need a look?", "Is wood a good fuel for the boiler?"
    with Vault(tmp_path / "vault", load_settings(models_dir=model_file.parent, answer_tokens=20)) as opened:
        opened.index([notes])
        plain = opened.ask(question).finish()
        opened.ask(another).finish()
        opened.read_ahead(question)
        ahead = opened.ask(question).finish()
    assert plain.completion is not None and ahead.completion is not None
    assert ahead.text == plain.text
    read, reread = (one.prompt_tokens - one.reused_tokens for one in (plain.completion, ahead.completion))
    assert read > 500 and reread == 1, "the last token alone is read again, for its scores"


def test_notes_are_judged_by_what_they_are_about(model_file: Path, tmp_path: Path) -> None:
    recipes = {"Lentil dal": "red lentils, cumin", "Goulash": "beef shin, paprika", "Pea soup": "peas, mint, leek"}
    recipes |= {"Pork roast": "pork neck, beer", "Carbonara": "bacon, eggs, spaghetti"}
    folder = tmp_path / "recipes"
    folder.mkdir()
    for name, items in recipes.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n- {items}\n", encoding="utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=model_file.parent)) as opened:
        opened.index([folder])
        answer = opened.ask("Which of my recipes contain meat?").finish()
    assert "Pork roast" in answer.text and "Goulash" in answer.text
    assert "Pea soup" not in answer.text and "Lentil dal" not in answer.text
    assert answer.llm_tokens > 0 and "of 5 notes fit" in answer.note


def test_a_short_answer_is_a_span_of_the_notes(vault: Vault) -> None:
    answer = vault.ask(QUESTION, short=True).finish()
    assert answer.text in NOTES["boiler.md"] and "Brandt" in answer.text


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
