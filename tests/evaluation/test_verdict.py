"""What a judge may write, and how it is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.evaluation.judging.verdict import CRITERIA, Letter, VerdictConstraint, parse
from noderag_local.models.llm.engine import Role
from noderag_local.models.llm.prompt_files import prompt_file, turns

verdicts = st.tuples(*[st.sampled_from(Letter)] * len(CRITERIA))


def written(letters: tuple[Letter, ...]) -> str:
    return "\n".join(f"{criterion}: {letter}" for criterion, letter in zip(CRITERIA, letters, strict=True))


@given(verdicts)
def test_every_verdict_can_be_written_and_read(letters: tuple[Letter, ...]) -> None:
    constraint = VerdictConstraint()
    for byte in written(letters).encode():
        assert not constraint.may_end()
        assert constraint.allows(bytes((byte,)))
        constraint.accept(bytes((byte,)))
    assert constraint.may_end()
    assert constraint.forced() == b""
    assert not any(constraint.allows(bytes((byte,))) for byte in range(256))
    assert parse(written(letters)) == letters


@given(verdicts, st.booleans())
def test_the_model_chooses_the_letters_alone(letters: tuple[Letter, ...], blank_apart: bool) -> None:
    constraint, text = VerdictConstraint(), b""
    for letter in letters:
        forced = constraint.forced()
        constraint.accept(forced)
        pieces = [b" ", letter.encode()] if blank_apart else [b" " + letter.encode()]
        for piece in pieces:
            assert constraint.forced() == b""
            constraint.accept(piece)
        text += forced + b"".join(pieces)
    assert text.decode() == written(letters)


@given(verdicts, st.integers(0, 60), st.binary(max_size=3))
def test_nothing_else_is_allowed(letters: tuple[Letter, ...], at: int, piece: bytes) -> None:
    constraint, text = VerdictConstraint(), written(letters).encode()[:at]
    if text:
        constraint.accept(text)
    fits = any(
        written(other).encode().startswith(text + piece) for other in _all() if written(other).encode().startswith(text)
    )
    assert constraint.allows(piece) == (bool(piece) and fits)
    if not constraint.allows(piece):
        with pytest.raises(ValueError, match="not allowed"):
            constraint.accept(piece)


def _all() -> list[tuple[Letter, ...]]:
    found: list[tuple[Letter, ...]] = [()]
    for _ in CRITERIA:
        found = [(*before, letter) for before in found for letter in Letter]
    return found


def test_a_server_that_writes_more_is_understood() -> None:
    text = "**Comprehensiveness**: A, as it says more.\n- diversity: b\nEmpowerment - A\nOverall: **B**"
    assert "".join(parse(text)) == "ABAB"


@pytest.mark.parametrize(
    ("overall", "letter"),
    [
        ("Overall: Answer B", "B"),
        ("**Overall:** answer A.", "A"),
        ("| Overall | B |", "B"),
        ("Overall, A is better.", "A"),
        ("Overall: b.", "B"),
        ("Overall, a close call, but Answer B.", ""),
        ("Overall: A close call.", ""),
        ("Overall: Answer A lacks much that B has.", ""),
    ],
)
def test_an_article_is_no_letter_and_answer_may_stand_before_one(overall: str, letter: str) -> None:
    text = f"Comprehensiveness: A\nDiversity: A\nEmpowerment: A\n{overall}"
    if letter:
        assert parse(text)[-1] == letter
    else:
        with pytest.raises(ValueError, match="has no letter"):
            parse(text)


@pytest.mark.parametrize("text", ["", "Overall: A", "Comprehensiveness: C\nDiversity: A\nEmpowerment: A\nOverall: A"])
def test_half_a_verdict_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="has no letter for a criterion"):
        parse(text)


def test_the_prompts_samples_are_verdicts_and_favour_no_place() -> None:
    assert prompt_file("evaluation.judging", "judge").startswith("# version: ")
    samples = [parse(turn.content) for turn in turns("evaluation.judging", "judge") if turn.role is Role.ASSISTANT]
    assert {letter for sample in samples for letter in sample} == set(Letter)
    letters = [letter for sample in samples for letter in sample]
    assert letters.count(Letter.A) == letters.count(Letter.B)
