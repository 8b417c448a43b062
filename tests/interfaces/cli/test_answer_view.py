"""An answer on the screen, made by the real answerer over a scripted model."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator

import pytest
from helpers.bare_asking import bare_asking

from noderag_local.domain.errors import ModelError
from noderag_local.domain.passages import Retrieval, Source
from noderag_local.domain.stream import Stream
from noderag_local.generation.answering import ANSWER_TOKENS, Answer
from noderag_local.interfaces.cli.questions import answer_view
from noderag_local.interfaces.cli.questions.answer_view import ShownBefore, answer_fields
from noderag_local.models.llm.engine import never
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.ask import AskProgress

QUESTION = "When is the dinner?"


def source(number: int, text: str) -> Source:
    return Source(number, f"/notes/{number}.md", 0, f"Note {number}", ("Plan",), 1, 2, 0, len(text), text)


FOUND = Retrieval(
    method="noderag",
    question=QUESTION,
    budget_tokens=1000,
    context="[1] The dinner is on Friday.\n[2] Marta is allergic to shellfish.",
    tokens=20,
    sources=(source(1, "The dinner is on Friday."), source(2, "Marta is allergic to shellfish.")),
    ranked=(),
    seeds=(),
    elapsed_ms=3.0,
)


def asked(engine: ScriptedEngine | None, cancelled: Callable[[], bool] = never) -> Stream[Answer]:
    asking = bare_asking(
        search=lambda *_: FOUND,
        is_default=False,
        open_engine=lambda: engine,
        answer_tokens=ANSWER_TOKENS,
        cancelled=cancelled,
    )
    return Stream(asking.pieces(QUESTION, (), short=False))


def streamed(reply: str) -> Stream[Answer]:
    return asked(ScriptedEngine(reply))


def plain(capsys: pytest.CaptureFixture[str], stream: Stream[Answer]) -> str:
    answer_view.print_answer(stream)
    return capsys.readouterr().out


def test_the_cited_sources_stand_below_with_file_line_and_heading(capsys: pytest.CaptureFixture[str]) -> None:
    shown = plain(capsys, streamed("The dinner is on Friday. [1]"))
    assert shown.startswith("The dinner is on Friday. [1]\n\n[1] /notes/1.md:1-2  Note 1 › Plan\n")
    assert "/notes/2.md" not in shown
    assert "scripted: first words after" in shown


def test_a_sentence_that_no_source_supports_is_named_below(capsys: pytest.CaptureFixture[str]) -> None:
    shown = plain(capsys, streamed("The dinner is on Friday. [1] Gustav pays 900 euros. [2]"))
    assert "No source supports: Gustav pays 900 euros." in shown


def test_on_a_terminal_it_is_marked_in_its_place() -> None:
    stream = streamed("Gustav pays 900 euros. [2] The dinner is on Friday.")
    text = answer_view.marked(stream.finish())
    assert text.plain == "Gustav pays 900 euros. [2] (no source supports this) The dinner is on Friday. [1]"
    assert any(span.style == "dim italic" for span in text.spans)


def test_a_terminal_shows_the_finished_answer_in_place_of_the_streamed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    answer_view.print_answer(streamed("Gustav pays 900 euros. [2]"))
    streamed_text, _, finished = out.getvalue().rpartition("\x1b[2K")
    assert "Gustav pays 900 euros. [2]" in streamed_text
    assert "no source supports this" in finished


def dying() -> Generator[str, None, Answer]:
    """The pieces of a model that fails after the first words."""
    yield "The dinner "
    yield "is on "
    raise ModelError("the model died")


def test_what_was_written_stays_when_the_model_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ModelError):
        answer_view.print_answer(Stream(dying()))
    _, _, left = out.getvalue().rpartition("\x1b[2K")
    assert "The dinner is on" in left


def test_when_the_notes_do_not_tell_the_nearest_passages_are_offered(capsys: pytest.CaptureFixture[str]) -> None:
    answer_view.print_plainly(streamed("NOT IN NOTES"))
    shown = capsys.readouterr().out
    assert shown.startswith("Your notes do not tell.\n")
    assert "The nearest passages:\n[1] /notes/1.md:1-2" in shown


def test_passages_that_stand_above_the_answer_are_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    shown = plain(capsys, streamed("NOT IN NOTES"))
    assert shown.startswith("Your notes do not tell.\n")
    assert "/notes/" not in shown


def test_without_a_model_the_passages_answer_and_one_line_says_how_to_add_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = plain(capsys, asked(None))
    assert "The dinner is on Friday. [1]" in shown
    assert shown.count("noderag models get") == 1


def test_who_asks_for_no_model_is_not_told_to_add_one(capsys: pytest.CaptureFixture[str]) -> None:
    stream = asked(None)
    answer_view.print_answer(stream, say_how_to_add_model=False)
    assert "noderag models" not in capsys.readouterr().out


def test_passages_are_printed_once_and_what_a_computed_question_was_asked_as(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = ShownBefore()
    before.show(AskProgress("Opening …"))
    before.show(AskProgress("Reading the question …", "", FOUND, "scripted"))
    before.show(AskProgress("Reading 2 passages …", "What is for dinner?", FOUND, "scripted"))
    shown = capsys.readouterr().out
    assert shown.count("/notes/1.md") == 1 and shown.count("/notes/2.md") == 1 and "Asked as" not in shown
    before.show(AskProgress("", "How often was there dinner?", FOUND))
    assert capsys.readouterr().out.strip() == "Asked as: How often was there dinner?"


def test_programs_get_everything() -> None:
    told = answer_fields(streamed("The dinner is on Friday. [1] Gustav pays 900 euros. [2]").finish())
    assert told["answer"] == "The dinner is on Friday. [1] Gustav pays 900 euros. [2]"
    assert [(one["numbers"], one["supported"]) for one in told["citations"]] == [((1,), True), ((2,), False)]
    assert [one["cited"] for one in told["sources"]] == [True, True]
    assert told["stats"]["completion"]["written_tokens"] > 5
    assert told["stats"]["first_token_seconds"] > 0


def test_a_stopped_answer_keeps_what_was_written(capsys: pytest.CaptureFixture[str]) -> None:
    pieces = 0

    def after_three() -> bool:
        nonlocal pieces
        pieces += 1
        return pieces > 6

    engine = ScriptedEngine("The dinner is on Friday and it is going to be long.")
    stream = asked(engine, after_three)
    shown = plain(capsys, stream)
    assert shown.startswith("The dinner is")
    assert "The answer was stopped." in shown
