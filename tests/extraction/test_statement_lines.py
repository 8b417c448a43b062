"""The lines that the model writes about a chunk: what the constraint lets through, and what the parser takes over."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.extraction.statements.numbered_text import NumberedText
from noderag_local.extraction.statements.statement_constraint import StatementConstraint
from noderag_local.extraction.statements.statement_lines import Statement, parse

CURIE = NumberedText.of(
    "Marie Curie",
    [
        "She was born in Warsaw in 1867 and studied in Paris.",
        "Her husband Pierre shared the Nobel Prize in Physics with her.",
    ],
)


def written(pieces: list[bytes], text: NumberedText = CURIE) -> StatementConstraint:
    constraint = StatementConstraint(text)
    for piece in pieces:
        assert constraint.allows(piece), piece
        constraint.accept(piece)
    return constraint


def test_a_line_is_a_number_and_three_fields() -> None:
    constraint = written([b"1", b" Marie", b" Curie", b" |", b" born", b" in", b" |", b" Warsaw"])
    assert constraint.may_end()
    constraint.accept(b"\n")
    assert constraint.may_end()
    assert constraint.forced() == b"2", "a short sentence has one line"


def test_pieces_may_cross_fields() -> None:
    assert written([b"1 Marie Curie | born in | War", b"saw\n2 P"]).allows(b"ierre |")


@pytest.mark.parametrize(
    ("before", "piece", "why"),
    [
        (b"", b"3", "there is no third sentence"),
        (b"1 ", b"Albert", "not in the text"),
        (b"1 ", b"She", "a pronoun"),
        (b"1 ", b"in", "a stop word in lower case"),
        (b"1 ", b"arie", "the middle of a word"),
        (b"1 Marie", b"tta", "goes on otherwise than the text"),
        (b"1 Marie Cur", b" |", "half a word"),
        (b"1 Marie Curie |", b"\n", "two fields are missing"),
        (b"1 Marie Curie | ", b"|", "an empty relation"),
        (b"1 Marie Curie | is one of the first", b" and", "a relation of more than five words"),
        (b"1 Marie Curie | born in | Warsaw", b" |", "a fourth field"),
        (b"2 Pierre | shared | Nobel Prize", b"\n1", "numbers never fall"),
    ],
)
def test_what_is_not_allowed(before: bytes, piece: bytes, why: str) -> None:
    assert not written([before] if before else []).allows(piece), why


def test_a_name_may_be_spelt_with_another_first_letter_and_does_not_run_over_verbs() -> None:
    text = NumberedText.of("", ["the Gift is a film by Ang Lee that was shot in Rome."])
    assert written([b"1 gift"], text).allows(b" |")
    assert not written([b"1 Gift"], text).allows(b" is")


def test_who_writes_a_stop_word_does_not_mean_a_longer_word() -> None:
    text = NumberedText.of("Houston", ["Snow fell, one inch of it, in December, in the Chase Tower too."])
    assert not written([b"1 Snow | fell |"], text).allows(b" in")
    assert written([b"1 Snow | fell |"], text).allows(b" inch")


def test_a_word_is_over_when_a_new_one_was_refused() -> None:
    constraint = written([b"1 Marie Curie | as a member of European"])
    assert constraint.allows(b"s")
    assert not constraint.allows(b" Union")
    assert not constraint.allows(b"Union")
    assert constraint.allows(b" |")


def test_a_name_of_six_words_ends_at_the_first_word_that_can_close_one() -> None:
    text = NumberedText.of("", ["There were 162 games for each of the thirty teams, which was much."])
    constraint = written([b"1 162 games for each of the"], text)
    assert not constraint.allows(b" |")
    constraint.accept(b" thirty")
    assert constraint.allows(b" |")
    assert not constraint.allows(b" teams")


def test_the_same_object_is_not_said_twice_of_the_same_thing() -> None:
    long = NumberedText.of("WYAV", ["WYAV is a station in Myrtle Beach and " + "in Grand Strand " * 6])
    constraint = written([b"1 WYAV | serves | Myrtle Beach\n", b"1 WYAV | serves |"], long)
    assert not constraint.allows(b" Myrtle")
    assert constraint.allows(b" Grand")


def test_the_text_is_finished_after_the_last_line_of_the_last_sentence() -> None:
    constraint = written([b"1 Marie Curie | born | 1867\n2 Pierre | shared | Nobel Prize in Physics\n"])
    assert constraint.may_end()
    assert not any(constraint.allows(bytes((byte,))) for byte in range(256))


def test_accepting_what_is_not_allowed_is_an_error_of_the_engine() -> None:
    with pytest.raises(ValueError, match="not allowed"):
        StatementConstraint(CURIE).accept(b"Marie")


def test_statements_are_read_back() -> None:
    parsed = parse("1 Marie Curie | born in | Warsaw\n2 pierre | shared | the nobel prize in physics\n", CURIE)
    assert parsed.statements == (
        Statement(0, "Marie Curie", "born in", "Warsaw"),
        Statement(1, "Pierre", "shared", "Nobel Prize in Physics"),
    )
    assert parsed.rejected == 0
    assert str(parsed.statements[0]) == "Marie Curie | born in | Warsaw"


def test_a_statement_belongs_to_the_sentence_that_has_its_object() -> None:
    (statement,) = parse("2 Marie Curie | studied in | Paris", CURIE).statements
    assert statement.sentence == 0


@pytest.mark.parametrize(
    "line",
    [
        "Here are the facts:",
        "1 Marie Curie | born in Warsaw",
        "1 Marie Curie | born | in | Warsaw",
        "7 Marie Curie | born in | Warsaw",
        "1 Marie Skłodowska | born in | Warsaw",
        "1 Marie Curie | born in | Warszawa",
        "1 She | born in | Warsaw",
        "1 Marie Curie | is | marie curie",
        "1 Marie Curie | she was after some years at last born in | Warsaw",
        "1 Mar | born in | Warsaw",
    ],
)
def test_lines_that_are_passed_over_are_counted(line: str) -> None:
    parsed = parse(f"1 Marie Curie | born | 1867\n{line}\n", CURIE)
    assert [statement.object for statement in parsed.statements] == ["1867"]
    assert parsed.rejected == 1


def test_repetitions_and_reversals_are_passed_over() -> None:
    parsed = parse("1 Marie Curie | met | Pierre\n2 Pierre | met | Marie Curie\n2 marie curie | met | Pierre", CURIE)
    assert (len(parsed.statements), parsed.rejected) == (1, 2)


def test_no_more_statements_than_the_sentences_may_have() -> None:
    lines = [f"1 Marie Curie | fact {number} | Warsaw" for number in range(9)]
    assert len(parse("\n".join(lines), CURIE).statements) == sum(CURIE.lines) == 2


def test_the_delimiter_in_a_text_does_not_reach_the_lines() -> None:
    text = NumberedText.of("A|B", ["Rome | Paris\nare two cities."])
    assert text.title == "A B"
    assert text.sentences == ("Rome Paris are two cities.",)


letters = st.text("abCÄé日 .,()'-|\n0129", max_size=40)


@settings(max_examples=60, deadline=None)
@given(title=letters, sentences=st.lists(letters, min_size=1, max_size=4), choices=st.randoms(use_true_random=False))
def test_whatever_is_allowed_parses_and_is_copied(title: str, sentences: list[str], choices) -> None:  # type: ignore[no-untyped-def]
    text = NumberedText.of(title, sentences)
    constraint, output = StatementConstraint(text), b""
    alphabet = [b"%c" % byte for byte in sorted({*text.source, *b"123 | abc\n"})]
    for _ in range(120):
        allowed = [piece for piece in alphabet if constraint.allows(piece)]
        if not allowed:
            break
        piece = choices.choice(allowed)
        constraint.accept(piece)
        output += piece
    complete = output[: output.rfind(b"\n") + 1].decode()
    for statement in parse(complete, text).statements:
        assert statement.subject.encode() in text.source
        assert statement.object.encode() in text.source
        assert "|" not in statement.predicate
    fields = [line.split(" | ") for line in complete.splitlines()]
    assert all(len(line) == 3 and line[2].strip().encode().lower() in text.folded for line in fields)
