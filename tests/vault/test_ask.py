"""What `Vault.ask` promises, where the passages themselves answer and where a model does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.note_files import written_notes
from helpers.scripted_model import ScriptedModel

from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelMissing, VaultMissing
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.runs import AnswerForm, run_questions
from noderag_local.generation.answering import Answer
from noderag_local.generation.citing.extractive import ADD_MODEL
from noderag_local.generation.follow_up import Exchange
from noderag_local.interfaces.cli.questions.demo_command import notes_folder
from noderag_local.models.llm.engine import Finish, never
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.ask import AskProgress
from noderag_local.vault.vault import Vault

LEASE = "When does the lease end?"
MethodVault = Callable[..., Vault]


class Keeping(ScriptedEngine):
    """Says that it keeps what it read."""

    @property
    def keeps_what_it_read(self) -> bool:
        return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault of the sample notes."""
    place = tmp_path_factory.mktemp("asked") / "vault"
    with Vault(place, load_settings(models_dir=place / "no-models")) as vault:
        vault.index([notes_folder()])
    return place


def vault_of(folder: Path, engine: ScriptedEngine | None = None) -> Vault:
    settings = load_settings(models_dir=folder / "no-models")
    return Vault(folder, settings, ScriptedModel(engine) if engine else None)


def asked(vault: Vault, question: str, **options: object) -> tuple[str, Answer]:
    stream = vault.ask(question, **options)  # type: ignore[arg-type]
    return "".join(stream), stream.result


@pytest.mark.parametrize("method", ["noderag", "naive", "bm25"])
def test_without_a_model_the_passages_of_the_search_answer(folder: Path, method: str) -> None:
    with vault_of(folder) as vault:
        text, answer = asked(vault, LEASE, method=method, budget_tokens=300)
        found = vault.search(LEASE, method=method, budget_tokens=300)
    assert answer.text == text.strip() and answer.text
    assert (answer.model, answer.note, answer.completion, answer.finish) == ("", ADD_MODEL, None, Finish.STOP)
    assert (answer.retrieval.context, answer.retrieval.sources) == (found.context, found.sources)
    known = {source.number for source in found.sources}
    assert {number for one in answer.citations for number in one.numbers} <= known
    assert 0 < answer.first_piece_seconds <= answer.elapsed_seconds


def test_the_same_question_gets_the_same_answer(folder: Path) -> None:
    with vault_of(folder) as vault:
        assert asked(vault, LEASE)[0] == asked(vault, LEASE)[0]


def test_with_a_model_its_words_are_the_answer(folder: Path) -> None:
    with vault_of(folder, ScriptedEngine("Ask the landlord.")) as vault:
        text, answer = asked(vault, LEASE)
    assert (text, answer.text, answer.model) == ("Ask the landlord.", "Ask the landlord.", "scripted")
    assert answer.llm_tokens > 0


def test_who_wants_no_model_gets_the_passages(folder: Path) -> None:
    engine = ScriptedEngine("In May. [1]")
    with vault_of(folder, engine) as vault:
        _, answer = asked(vault, LEASE, with_model=False)
    assert (answer.model, engine.history) == ("", [])


def test_a_question_that_refers_to_the_conversation_is_rewritten(folder: Path) -> None:
    earlier = [Exchange("Who is Marta Oliveira?", "Marta Oliveira is a cook in Porto. [1]")]
    engine = ScriptedEngine("What does Marta Oliveira think of the sea?", "In Porto. [1]", "yes")
    told: list[AskProgress] = []
    with vault_of(folder, engine) as vault:
        _, answer = asked(vault, "What does she think of the sea?", earlier=earlier, progress=told.append)
    assert answer.asked_as == answer.retrieval.question == "What does Marta Oliveira think of the sea?"
    assert [one.message.split()[0] for one in told] == ["Opening", "Reading", "Searching", "Reading"]
    shown = told[-1].retrieval
    assert shown is not None
    assert (told[-1].asked_as, shown.sources) == (answer.asked_as, answer.retrieval.sources)


def test_a_follow_up_for_another_time_or_name_needs_no_model(folder: Path) -> None:
    with vault_of(folder) as vault:
        said = [Exchange("What did we decide on 3 March 2024 about the garden?", "To dig.")]
        answer = asked(vault, "And in April?", earlier=said)[1]
        assert answer.asked_as == "What did we decide in April 2024 about the garden?"
        assert answer.retrieval.question == answer.asked_as
        answer = asked(vault, "What about Tomasz?", earlier=[Exchange("Where does Marta live?", "In Porto.")])[1]
        assert answer.asked_as == "Where does Tomasz live?"


def test_a_month_without_a_year_is_the_latest_that_the_notes_tell_of(tmp_path: Path) -> None:
    notes = written_notes(
        tmp_path / "notes", {"2019-03-02.md": "Went swimming.\n", "2019-04-03.md": "Went swimming.\n"}
    )
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "no-models")) as vault:
        vault.index([notes])
        answer = asked(vault, "How often did I swim in March?")[1]
    assert (answer.asked_as, answer.text) == ("How often did I swim in March 2019?", "1 time [1]")


def test_a_question_that_stands_alone_is_asked_as_it_is(folder: Path) -> None:
    engine = ScriptedEngine("In May. [1]")
    with vault_of(folder, engine) as vault:
        _, answer = asked(vault, "When does the lease of the flat in Lisbon end?", earlier=[Exchange("Who?", "Marta.")])
    assert (answer.asked_as, len(engine.history)) == ("", 1)


def test_a_question_that_is_stopped_before_the_model_is_asked_says_so(folder: Path) -> None:
    engine = ScriptedEngine("In May. [1]")
    with vault_of(folder, engine) as vault:
        text, answer = asked(vault, LEASE, cancelled=lambda: True)
    assert (text, answer.finish, engine.history) == ("", Finish.CANCELLED, [])


def test_closing_the_stream_stops_the_model(folder: Path) -> None:
    with vault_of(folder, ScriptedEngine("One two three four five six.")) as vault:
        stream = vault.ask(LEASE)
        stream.begin()
        stream.close()
        assert list(stream) == []


def test_errors_come_while_the_stream_is_read(folder: Path, tmp_path: Path) -> None:
    with vault_of(folder) as vault, pytest.raises(ModelMissing, match="zero-shot"):
        vault.ask(LEASE, method="zero-shot").finish()
    with vault_of(tmp_path / "nothing") as empty, pytest.raises(VaultMissing):
        empty.ask(LEASE).finish()


def test_evaluation_gets_the_answer_and_the_context_of_everyone_else(folder: Path) -> None:
    question = EvalQuestion("1", LEASE, ("May",))
    with vault_of(folder) as vault:
        (run,) = run_questions(vault, [question], ["noderag"], [300], form=AnswerForm.SHORT, cancelled=never)
        _, answer = asked(vault, LEASE, method="noderag", budget_tokens=300)
    assert (run.answer, run.context, run.tokens) == (answer.text, answer.retrieval.context, answer.retrieval.tokens)


def test_what_is_read_ahead_is_what_the_question_reads(folder: Path) -> None:
    engine = Keeping("A word.", "Another.")
    with vault_of(folder, engine) as vault:
        vault.read_ahead("What does the flat smell of?")
        asked(vault, "What does the flat smell of?")
    ahead, then = engine.history
    assert ahead == then


@pytest.mark.parametrize(
    "question",
    ["What does she think of it?", "Who wrote the book that won the prize of the town where Tomasz was born?"],
    ids=["refers to what was said", "several steps"],
)
def test_a_question_that_takes_more_than_reading_is_not_read_ahead(folder: Path, question: str) -> None:
    engine = Keeping()
    with vault_of(folder, engine) as vault:
        vault.read_ahead(question)
    assert engine.history == []


def test_a_question_that_is_computed_is_not_read_ahead(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for day in ("2026-03-01", "2026-03-08"):
        (tmp_path / "notes" / f"{day}.md").write_text("Swam a kilometre.\n", encoding="utf-8")
    engine = Keeping()
    with vault_of(tmp_path / "vault", engine) as vault:
        vault.index([tmp_path / "notes"])
        vault.read_ahead("How often did I swim?")
        assert asked(vault, "How often did I swim?")[0].startswith("2")
    assert engine.history == []


def test_nothing_is_read_ahead_without_a_model_that_keeps_it_or_once_it_was_stopped(folder: Path) -> None:
    forgetful = ScriptedEngine()
    with vault_of(folder, forgetful) as vault:
        vault.read_ahead(LEASE)
    stopped = Keeping()
    with vault_of(folder, stopped) as vault:
        vault.read_ahead(LEASE, cancelled=lambda: True)
    with vault_of(folder) as vault:
        vault.read_ahead(LEASE)
    assert forgetful.history == stopped.history == []


def test_an_overview_of_some_days_judges_the_sentences_of_these_days_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    worries = {"2025-03-05": "the roof", "2025-03-02": "the exam", "2025-05-09": "the cat"}
    for day, worry in worries.items():
        text = f"Sleepless because of {worry}.\n\nIt rained on this day.\n"
        (tmp_path / "notes" / f"{day}.md").write_text(text, encoding="utf-8")
    engine = ScriptedEngine(reply=lambda request: "yes" if "Sleepless" in request.messages[-1].content else "no")
    told: list[AskProgress] = []
    with vault_of(tmp_path / "vault", engine) as vault:
        vault.index([tmp_path / "notes"])
        text, answer = asked(vault, "What bothered me in March 2025?", progress=told.append)
    numbers = {source.path[-13:-3]: source.number for source in answer.retrieval.sources}
    assert sorted(numbers) == ["2025-03-02", "2025-03-05"]
    exam, roof = numbers["2025-03-02"], numbers["2025-03-05"]
    assert text == f"- Sleepless because of the exam. [{exam}]\n- Sleepless because of the roof. [{roof}]"
    assert [(one.retrieval, one.reader) for one in told if one.retrieval] == [(answer.retrieval, "scripted")]


def test_the_other_one_of_a_name_is_found_by_the_pages_of_people(tmp_path: Path) -> None:
    (tmp_path / "notes" / "people").mkdir(parents=True)
    for name, town in (("Jonas Brandt", "Bonn"), ("Jonas Keller", "Kiel")):
        (tmp_path / "notes" / "people" / f"{name}.md").write_text(f"# {name}\n\nLives in {town}.\n", encoding="utf-8")
    said = [Exchange("Where does Jonas live?", "Jonas Brandt lives in Bonn. [1]")]
    with vault_of(tmp_path / "vault") as vault:
        vault.index([tmp_path / "notes"])
        text, answer = asked(vault, "No, the other Jonas", earlier=said)
    assert answer.asked_as == "Where does Jonas Keller live?" and "Kiel" in text


@pytest.fixture
def recipes(tmp_path: Path) -> Path:
    """A vault of three recipes, of which none says whether it is vegetarian."""
    (tmp_path / "recipes").mkdir()
    for name, items in (("Pea soup", "peas, mint"), ("Goulash", "beef, paprika"), ("Dal", "lentils, cumin")):
        (tmp_path / "recipes" / f"{name}.md").write_text(f"# {name}\n\n- {items}\n", encoding="utf-8")
    with vault_of(tmp_path / "vault") as vault:
        vault.index([tmp_path / "recipes"])
    return tmp_path / "vault"


def test_where_words_do_not_decide_the_model_judges_each_note(recipes: Path) -> None:
    engine, told = ScriptedEngine("yes", "no", "yes"), list[AskProgress]()
    with vault_of(recipes, engine) as vault:
        text, answer = asked(vault, "Which of my recipes are vegetarian?", progress=told.append)
    # In the order of the vault: Dal, Goulash, Pea soup.
    assert text == "Dal [1]\nPea soup [3]"
    assert answer.note == "By the judgement of the language model, which may err, 2 of 3 notes fit."
    assert any("Looked at 2 of 3 notes" in one.message for one in told)
    assert [one.retrieval for one in told if one.retrieval] == [answer.retrieval] and answer.model == "scripted"


def test_where_no_note_fits_the_notes_do_not_tell(recipes: Path) -> None:
    with vault_of(recipes, ScriptedEngine("no", "no", "no")) as vault:
        answer = asked(vault, "Which of my recipes are Finnish?")[1]
    assert answer.abstained and len(answer.retrieval.sources) == 3


def test_a_judging_that_is_stopped_gives_no_answer(recipes: Path) -> None:
    engine = ScriptedEngine("yes", "no", "yes")
    with vault_of(recipes, engine) as vault:
        _, answer = asked(vault, "Which of my recipes are vegetarian?", cancelled=lambda: len(engine.history) == 2)
    assert (answer.finish, answer.was_begun) == (Finish.CANCELLED, False)


@pytest.mark.parametrize(
    "question",
    [
        "Which recipes use peas?",
        "Which of my recipes did I cook last week?",
        "Which recipes did I cook?",
        "Which recipes did Ana Lee recommend?",
        "What is vegetarian?",
    ],
)
def test_what_the_words_decide_or_other_notes_tell_is_not_judged(recipes: Path, question: str) -> None:
    engine = ScriptedEngine(*["Nothing [1]."] * 3)
    with vault_of(recipes, engine) as vault:
        asked(vault, question)
    assert not any("Does this note fit" in request.messages[-1].content for request in engine.history)
