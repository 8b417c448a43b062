"""From a retrieval to an answer, with a model that says what the test wants."""

from __future__ import annotations

import pytest

from noderag_local.domain.errors import ModelError
from noderag_local.domain.passages import Citation, Retrieval, Source
from noderag_local.generation.answering import NO_SUPPORT, UNSURE, Answer, Answerer
from noderag_local.generation.citing.extractive import ADD_MODEL
from noderag_local.models.llm.engine import Finish
from noderag_local.models.llm.scripted import ScriptedEngine

TEXTS = (
    "The Marlin was built in Hull in 1931. It was sold to Ms Okafor.",
    "The shop in Bern closes at six. It sells Assam and Keemun. \x1b[31mIt is red.",
)


def retrieval(*texts: str) -> Retrieval:
    sources = tuple(
        Source(number, f"/notes/{number}.md", 0, "", (), 1, 2, 0, len(text), text)
        for number, text in enumerate(texts, start=1)
    )
    context = "\n".join(f"[{source.number}] ({source.path}) {source.text}" for source in sources)
    return Retrieval("test", "q", 1000, context, 50, sources, (), (), 1.0)


def ask(reply: str, question: str = "Where was the Marlin built?", short: bool = False) -> tuple[list[str], Answer]:
    stream = Answerer(ScriptedEngine(reply)).stream(retrieval(*TEXTS), question, short=short)
    return list(stream), stream.result


def test_the_answer_is_streamed_and_its_citations_are_checked() -> None:
    pieces, answer = ask("The Marlin was built in Hull [1]. It sank in 1940 [1].")
    assert len(pieces) > 5
    assert "".join(pieces) == answer.text == "The Marlin was built in Hull [1]. It sank in 1940 [1]."
    assert answer.citations == (
        Citation("The Marlin was built in Hull.", (1,), True, after=" "),
        Citation("It sank in 1940.", (1,), False),
    )
    assert (answer.abstained, answer.finish, answer.model, answer.note) == (False, Finish.STOP, "scripted", "")
    assert answer.completion is not None


def test_no_piece_ends_inside_a_marker_and_unknown_numbers_are_dropped() -> None:
    pieces, answer = ask("Built in Hull 【1】 and sold [1, 9] [7].")
    assert answer.text == "Built in Hull [1] and sold [1]."
    assert not any("[" in piece and "]" not in piece for piece in pieces)


def test_a_neighbours_number_is_corrected_in_the_stream() -> None:
    pieces, answer = ask("The shop sells Assam [1].", "What does the shop sell?")
    assert "".join(pieces) == "The shop sells Assam [2]."
    assert answer.citations[0].supported


def test_escape_sequences_of_the_model_never_come_out() -> None:
    pieces, answer = ask("Hull\x1b]0;owned\x07 \x9b31m\u202e[1].\r\n")
    assert answer.text == "Hull]0;owned 31m[1]."
    assert "".join(pieces).rstrip() == answer.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How long is the Marlin?", "Your notes do not tell."),
        ("Wie lang ist die Marlin?", "Ihre Notizen sagen dazu nichts."),
        ("这艘船有多长？", "您的笔记中没有提到。"),
    ],
)
def test_an_abstention_is_said_in_the_language_of_the_question(question: str, said: str) -> None:
    pieces, answer = ask("NOT IN NOTES. The sources talk of a boat.", question)
    assert pieces == [said]
    assert (answer.text, answer.abstained, answer.citations, answer.note) == (said, True, (), "")


def test_nothing_found_is_an_abstention_without_asking_a_model() -> None:
    engine = ScriptedEngine()
    stream = Answerer(engine).stream(retrieval(), "How long is the Marlin?")
    assert "".join(stream) == "Your notes do not tell."
    assert stream.result.abstained
    assert engine.history == []


def test_an_answer_that_no_source_supports_says_so() -> None:
    _, answer = ask("The Titanic sank in 1912 [2].", "What sank?")
    assert answer.note == NO_SUPPORT
    assert not answer.abstained


@pytest.mark.parametrize(("certainty", "note"), [(-0.9, UNSURE), (-0.1, ""), (None, "")])
def test_an_answer_of_which_the_model_was_unsure_says_so(certainty: float | None, note: str) -> None:
    engine = ScriptedEngine("The Marlin was built in Hull [1].", certainty=certainty)
    answer = Answerer(engine).stream(retrieval(*TEXTS), "Where was the Marlin built?").finish()
    assert all(one.supported for one in answer.citations)
    assert answer.note == note


def test_a_short_answer_is_neither_checked_nor_annotated() -> None:
    pieces, answer = ask("Yes\nIt was built there.", "Was the Marlin built in Hull?", short=True)
    assert ("".join(pieces), answer.text, answer.citations, answer.note) == ("Yes", "Yes", (), "")


def test_an_answer_that_was_cut_says_so() -> None:
    stream = Answerer(ScriptedEngine("The Marlin was built in Hull [1]."), answer_tokens=7).stream(
        retrieval(*TEXTS), "Where?"
    )
    assert "".join(stream) == "The Marlin was built"
    assert stream.result.finish is Finish.LENGTH
    assert "answer_tokens" in stream.result.note


def test_a_stopped_answer_is_not_called_unsupported_and_its_last_sentence_is_not_judged() -> None:
    said: list[str] = []
    engine = ScriptedEngine("The Titanic sank in 1912 [2]. The Lusitania sank in 1915 [1].")
    stream = Answerer(engine).stream(retrieval(*TEXTS), "What sank?", cancelled=lambda: len(said) > 10)
    for piece in stream:
        said.append(piece)
    assert "Lusitania" in stream.result.text and stream.result.finish is Finish.CANCELLED
    assert [one.supported for one in stream.result.citations] == [False, True]
    assert stream.result.note == "The answer was stopped."


def test_of_an_answer_that_was_cut_the_last_sentence_is_not_judged() -> None:
    engine = ScriptedEngine("The Titanic sank in 1912 [2]. The Lusitania sank in 1915 [1].")
    answer = Answerer(engine, answer_tokens=19).stream(retrieval(*TEXTS), "What sank?").finish()
    assert answer.text.endswith("The Lusitania") and [one.supported for one in answer.citations] == [False, True]
    assert answer.note.startswith(NO_SUPPORT), "the whole sentence before it is judged"


def test_a_cancelled_answer_keeps_what_was_said() -> None:
    said: list[str] = []
    stream = Answerer(ScriptedEngine("The Marlin was built.")).stream(
        retrieval(*TEXTS), "Where?", cancelled=lambda: len(said) > 2
    )
    for piece in stream:
        said.append(piece)
    assert stream.result.finish is Finish.CANCELLED
    assert stream.result.text == "".join(said).rstrip()
    assert "stopped" in stream.result.note


def test_an_empty_reply_is_an_empty_answer() -> None:
    pieces, answer = ask("")
    assert ("".join(pieces), answer.citations) == ("", ())


def test_the_answer_is_known_only_at_the_end() -> None:
    stream = Answerer(ScriptedEngine("Hull [1].")).stream(retrieval(*TEXTS), "Where?")
    with pytest.raises(RuntimeError):
        _ = stream.result
    stream.close()
    assert list(stream) == []


def test_errors_of_the_engine_come_through() -> None:
    engine = ScriptedEngine()
    engine.enqueue(ModelError("broken"))
    with pytest.raises(ModelError):
        list(Answerer(engine).stream(retrieval(*TEXTS), "Where?"))


def test_without_a_model_the_passages_are_the_answer() -> None:
    stream = Answerer(None).stream(retrieval(*TEXTS), "When does the shop in Bern close?")
    lines = "".join(stream).splitlines()
    answer = stream.result
    assert len(lines) == 2
    assert lines[0].endswith("[1]")
    assert "The shop in Bern closes at six." in lines[1]
    assert lines[1].endswith("[2]")
    assert all(citation.supported for citation in answer.citations)
    assert "\x1b" not in answer.text
    assert (answer.model, answer.note, answer.completion) == ("", ADD_MODEL, None)
    assert "noderag models get" in answer.note


def test_words_of_a_note_are_never_called_unsupported() -> None:
    notes = ("Called Maes. … [x] oxalic acid [2]", "2026-09-05; 32.5 kg")
    answer = Answerer(None).stream(retrieval(*notes), "Which acid?").finish()
    assert [(one.text, one.numbers, one.supported) for one in answer.citations] == [
        ("Called Maes. [x] oxalic acid", (1,), True),
        ("2026-09-05; 32.5 kg", (2,), True),
    ]
    assert answer.text == "Called Maes. [x] oxalic acid [1]\n2026-09-05; 32.5 kg [2]"
