"""What may stand in the lines by which a model chooses passages, and what is read from them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.domain.errors import ModelError
from noderag_local.domain.passages import Filtering, Retrieval, Source
from noderag_local.generation.answering import Answerer
from noderag_local.generation.filtering import (
    GROUP_TOKENS,
    MOST_POINTS,
    Point,
    PointConstraint,
    filtered,
    parse,
    quotable,
)
from noderag_local.models.llm.engine import Finish, Request
from noderag_local.models.llm.scripted import ScriptedEngine

SOURCES = {
    2: "The Marlin was built in Hull in 1931. It was sold to Ms Okafor.",
    12: quotable("机长是李雷。他住在上海。Table | row"),
}


def accepts(text: str, most_score: int = 3) -> bool:
    """Whether the constraint lets a text be written byte by byte and end."""
    constraint = PointConstraint(SOURCES, most_score)
    for byte in text.encode():
        piece = bytes((byte,))
        if not constraint.allows(piece):
            return False
        constraint.accept(piece)
    return constraint.may_end()


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "[2] The Marlin was built in Hull in 1931. | 3",
        "[2] built in Hull | 1\n",
        "[2] It was sold to Ms Okafor. | 2\n[12] 机长是李雷。 他住在上海。 Table / row | 0",
        "[12] 他住在上海。 Table / row | 2",
    ],
)
def test_whole_words_of_a_source_with_a_score_are_allowed(text: str) -> None:
    assert accepts(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4",
        "00",
        "[3] The Marlin was built in Hull | 3",
        "[2] The Marlin sank in Hull | 3",
        "[2] he Marlin was built | 3",
        "[2] The Marlin was bui | 3",
        "[2] The Marlin | 3",
        "[2] The Marlin was built | 4",
        "[2] The Marlin was built | 31",
        "[2] The Marlin was built |",
        "[2] The Marlin was built\n",
        "0\n[2] The Marlin was built | 3",
    ],
)
def test_nothing_else_is_allowed(text: str) -> None:
    assert not accepts(text)


def test_a_text_has_so_many_lines_at_most() -> None:
    line = "[2] The Marlin was built | 3"
    assert accepts("\n".join([line] * MOST_POINTS))
    assert not accepts("\n".join([line] * (MOST_POINTS + 1)))


def test_a_long_passage_ends_with_the_word_that_passes_the_limit() -> None:
    constraint = PointConstraint({1: "word " * 100}, 3)
    constraint.accept(b"[1] " + b"word " * 48 + b"word")
    assert not constraint.allows(b" word")
    assert constraint.allows(b" | 1")


def test_a_piece_that_is_not_allowed_cannot_be_accepted() -> None:
    with pytest.raises(ValueError, match="not allowed"):
        PointConstraint(SOURCES, 3).accept(b"[7]")
    assert not PointConstraint(SOURCES, 3).allows(b"")
    assert PointConstraint(SOURCES, 3).forced() == b""


BYTES = sorted({*"".join(SOURCES.values()).encode(), *b"0123[] |\n"})
"""All that a text can be made of."""


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, len(BYTES) - 1), max_size=80))
def test_whatever_a_model_likes_best_the_text_stays_one_that_can_be_read(liked: list[int]) -> None:
    """Always the first allowed byte from the liked one upwards: the text never gets stuck, and its points are found."""
    constraint, text = PointConstraint(SOURCES, 3), b""
    for first in liked:
        allowed = (byte for byte in (*BYTES[first:], *BYTES[:first]) if constraint.allows(bytes((byte,))))
        byte = next(allowed, None)
        if byte is None:
            break
        constraint.accept(bytes((byte,)))
        text += bytes((byte,))
    assert constraint.may_end() or any(constraint.allows(bytes((byte,))) for byte in BYTES)
    whole = [line for line in text.decode(errors="ignore").split("\n") if line[-4:-1] == " | " and line[-1] in "123"]
    assert len(parse("\n".join(whole), SOURCES, 3)) == len({line.rpartition(" | ")[0] for line in whole})


def test_points_are_read_with_their_scores_and_each_once() -> None:
    written = "[2] built in Hull | 2\n2. “It was sold to Ms Okafor.” | 3\n[2] built in Hull | 1\n[12] 他住在上海。 | 1"
    assert parse(written, SOURCES, 3) == [
        Point(2, "built in Hull", 2),
        Point(2, "It was sold to Ms Okafor.", 3),
        Point(12, "他住在上海。", 1),
    ]


@pytest.mark.parametrize(
    "written",
    [
        "",
        "0",
        "[2] built in Hull | 0",
        "[3] built in Hull | 3",
        "[2] built in Bern | 3",
        "[2] built in Hull",
        "[2] | 3",
    ],
)
def test_what_does_not_help_or_stands_nowhere_is_no_point(written: str) -> None:
    assert parse(written, SOURCES, 3) == []


QUESTION = "On which river was the Marlin built?"
TEXTS = (
    "The shop in Bern closes at six. It sells Assam and Keemun.",
    "The Marlin was built in Hull in 1931. It was sold to Ms Okafor.",
    "Hull lies on the Humber. " + "It rains there. " * 200,
)


def sources(*texts: str) -> tuple[Source, ...]:
    return tuple(
        Source(number, f"/notes/{number}.md", 0, "Boats", ("Hull",), 1, 2, 0, len(text), text)
        for number, text in enumerate(texts, start=1)
    )


def retrieval(is_filtered: bool = True) -> Retrieval:
    found = sources(*TEXTS)
    context = "\n".join(f"[{source.number}] {source.text}" for source in found)
    return Retrieval(
        "arch", QUESTION, 1000, context, 900, found, (), (), 1.0, filtering=Filtering() if is_filtered else None
    )


def asked(request: Request) -> str:
    return request.messages[-1].content


def test_sources_are_looked_through_in_groups_that_a_small_model_can_hold() -> None:
    engine = ScriptedEngine("0", "0", strict=True)
    filtered(engine, sources(*TEXTS), QUESTION, Filtering())
    first, second = engine.history
    assert "[1] The shop" in asked(first)
    assert "[2] The Marlin" in asked(first)
    assert "[3]" not in asked(first)
    assert "[3] Hull" in asked(second)
    assert engine.count_tokens(TEXTS[0] + TEXTS[1]) < GROUP_TOKENS < engine.count_tokens(TEXTS[2])
    assert first.messages[:-1] == second.messages[:-1]
    assert asked(first).index("The Marlin") < asked(first).index(QUESTION)


def test_points_come_best_last_under_the_numbers_of_their_sources() -> None:
    engine = ScriptedEngine(
        "[2] The Marlin was built in Hull in 1931. | 2\n[1] It sells Assam and Keemun. | 0\n[2] sold to Ms Okafor. | 1",
        "[3] Hull lies on the Humber. | 3",
        strict=True,
    )
    found = filtered(engine, sources(*TEXTS), QUESTION, Filtering())
    assert found.context.splitlines() == [
        "[2] (Boats > Hull) The Marlin was built in Hull in 1931. … sold to Ms Okafor.",
        "[3] (Boats > Hull) Hull lies on the Humber.",
    ]
    assert found.llm_tokens > sum(map(engine.count_tokens, TEXTS))


def test_an_answer_is_made_from_the_points_and_cites_the_sources() -> None:
    engine = ScriptedEngine("0", "[3] Hull lies on the Humber. | 3", "On the Humber [3].")
    stream = Answerer(engine).stream(retrieval(), QUESTION)
    assert "".join(stream) == "On the Humber [3]."
    last = asked(engine.history[-1])
    assert "Hull lies on the Humber." in last
    assert "Assam" not in last
    assert stream.result.citations[0].numbers == (3,)
    assert stream.result.citations[0].supported
    assert stream.result.filter_tokens > GROUP_TOKENS


@pytest.mark.parametrize("score", ["0", "7", "60", "100"])
def test_the_scale_of_the_paper_goes_to_a_hundred(score: str) -> None:
    assert accepts(f"[2] built in Hull | {score}", 100)
    assert accepts(f"[2] built in Hull | {score}") == (score == "0")


@pytest.mark.parametrize("score", ["101", "007", "1000", "60%"])
def test_what_is_not_on_the_scale_is_refused(score: str) -> None:
    assert not accepts(f"[2] built in Hull | {score}", 100)


def test_each_layer_is_looked_through_by_itself_and_all_points_are_sorted() -> None:
    engine = ScriptedEngine(
        "[1] It sells Assam and Keemun. | 5",
        "[3] Hull lies on the Humber. | 40\n[2] sold to Ms Okafor. | 90",
        strict=True,
    )
    short = sources(TEXTS[0], TEXTS[1], "Hull lies on the Humber.")
    found = filtered(engine, short, QUESTION, Filtering(100, ((1,), (3, 2))))
    first, second = map(asked, engine.history)
    assert "[1] " in first and "[2] " not in first
    assert second.index("[3] Hull") < second.index("[2] The Marlin")
    assert [line[:3] for line in found.context.splitlines()] == ["[1]", "[3]", "[2]"]
    assert "from 0 to 100" in engine.history[0].messages[0].content


def test_where_nothing_is_chosen_the_answer_is_made_from_all_sources() -> None:
    engine = ScriptedEngine("0", "0", "NOT IN NOTES")
    stream = Answerer(engine).stream(retrieval(), QUESTION)
    assert "".join(stream) == "Your notes do not tell."
    assert "Assam" in asked(engine.history[-1])


def test_other_methods_are_answered_from_their_context_in_one_call() -> None:
    engine = ScriptedEngine("On the Humber [3].")
    stream = Answerer(engine).stream(retrieval(is_filtered=False), QUESTION)
    assert "".join(stream)
    assert len(engine.history) == 1
    assert stream.result.filter_tokens == 0


def test_a_short_answer_is_made_from_the_points_too() -> None:
    engine = ScriptedEngine("0", "[3] Hull lies on the Humber. | 3", "the Humber")
    stream = Answerer(engine).stream(retrieval(), QUESTION, short=True)
    assert "".join(stream) == "the Humber"
    assert "Assam" not in asked(engine.history[-1])


def test_braces_in_notes_stay_what_they_are() -> None:
    engine = ScriptedEngine("0")
    filtered(engine, sources("use {question} and {x!r}"), QUESTION, Filtering())
    assert "use {question} and {x!r}" in asked(engine.history[0])


def test_a_stopped_filter_ends_the_answer() -> None:
    stream = Answerer(ScriptedEngine("0", "0", "On the Humber.")).stream(retrieval(), QUESTION, cancelled=lambda: True)
    assert "".join(stream) == ""
    assert stream.result.finish is Finish.CANCELLED


def test_errors_of_the_engine_come_through() -> None:
    engine = ScriptedEngine("0")
    engine.enqueue(ModelError("broken"))
    with pytest.raises(ModelError, match="broken"):
        list(Answerer(engine).stream(retrieval(), QUESTION))
