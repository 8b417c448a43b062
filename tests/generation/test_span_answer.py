"""Answers that are spans of the context: which spans there are, and which one is chosen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.abstention import sentence
from noderag_local.generation.answer_spans import (
    answer_spans,
    date_spans,
    passage_of,
)
from noderag_local.generation.answering import Answerer
from noderag_local.generation.second_try import QUOTED
from noderag_local.generation.sentence_windows import WINDOW_LETTERS
from noderag_local.generation.span_answer import CANDIDATES, Bounds, in_words, span_answer
from noderag_local.models.llm.engine import Finish
from noderag_local.models.llm.scripted import ScriptedEngine

MARLIN = "The Marlin was built in Hull in 1931. It was sold to Ms Okafor, who lives in Bern."
SHOP = "The shop in Bern closes at six. It sells Assam and Keemun."
QUESTION = "Where was the Marlin built?"


def retrieval(*texts: str) -> Retrieval:
    sources = tuple(
        Source(number, f"/notes/{number}.md", 0, f"Note {number}", (), 1, 2, 0, len(text), text)
        for number, text in enumerate(texts, start=1)
    )
    context = "\n".join(f"[{source.number}] ({source.title}) {source.text}" for source in sources)
    return Retrieval("test", QUESTION, 1000, context, 50, sources, (), (), 1.0)


def test_spans_are_runs_of_words_that_say_more_than_the_question() -> None:
    spans = answer_spans(f"[1] (Ships) {MARLIN}", QUESTION, "en")
    assert {"Hull", "1931", "Hull in 1931", "Ms Okafor", "Bern", "Ships"} <= set(spans)
    assert not {"Marlin", "The Marlin", "built", "in Hull", "Hull in", "It", "[1]", "1"} & set(spans)
    assert not any("1931. It" in span for span in spans), "no span crosses the end of a sentence"
    assert spans == sorted(set(spans))


def test_a_choice_may_be_answered_by_its_own_names() -> None:
    assert "Marlin" in answer_spans(MARLIN, "Which is older, the Marlin or the Heron?", "en")


@given(st.text(max_size=200), st.text(max_size=60))
def test_every_span_stands_in_the_context(context: str, question: str) -> None:
    whole = " ".join(context.split())
    for span in answer_spans(context, question, "en"):
        assert span in whole


def test_the_passage_is_the_sentence_with_most_words_of_the_question() -> None:
    found = passage_of("Bern", "Who lives in Bern?", retrieval(SHOP, MARLIN).sources)
    assert found is not None
    assert (found[0].number, found[1]) == (2, f"Note 2: {MARLIN}")
    assert passage_of("Oslo", QUESTION, retrieval(MARLIN).sources) is None


def test_other_lines_are_no_part_of_a_passage() -> None:
    neighbours = "25 - Folake Adeyemi, 0113 496 0142\n29 - Connor Maguire, tree surgeon"
    found = passage_of("0113 496 0142", "What is Connor's number?", retrieval(neighbours).sources)
    assert found is not None and found[1] == "Note 1: 25 - Folake Adeyemi, 0113 496 0142"
    wrapped = f"Yesterday we took the disk with all of the backups to the house of\nour friend Jonas. {MARLIN}"
    found = passage_of("Jonas", "Who has the disk?", retrieval(wrapped).sources)
    assert found is not None and "the disk with all of the backups" in found[1]


def test_a_title_is_told_of_below_it_or_where_one_of_its_words_stands() -> None:
    page = Source(1, "/notes/jonas.md", 0, "Jonas Brandt", (), 1, 2, 0, 9, "Mends clocks. Has a key to our flat.")
    diary = Source(
        2, "/notes/2026.md", 0, "Diary", (), 1, 2, 0, 9, "Rain. I took the disk to Jonas, who keeps it. Snow."
    )
    key = passage_of("Jonas Brandt", "Who has a key to our flat?", [page, diary])
    assert key == (page, "Jonas Brandt: Mends clocks. Has a key to our flat.")
    disk = passage_of("Jonas Brandt", "Who keeps the disk?", [page, diary])
    assert disk == (diary, "Diary: Rain. I took the disk to Jonas, who keeps it. Snow.")


def test_a_long_passage_is_cut_around_the_span() -> None:
    found = passage_of("Hull", QUESTION, retrieval(f"{'so ' * 400} Hull {'and ' * 400}").sources)
    assert found is not None and "Hull" in found[1] and len(found[1]) <= WINDOW_LETTERS + len("Note 1: ")


def test_a_span_that_its_passage_does_not_bear_out_loses() -> None:
    engine = ScriptedEngine("Bern\nHull\nOslo", "no", "yes")
    found = span_answer(engine, retrieval(MARLIN, SHOP), QUESTION, "en")
    assert found.text == "Hull"
    assert found.source is not None and found.source.number == 1
    weighed, first, second = engine.history
    assert "Answer: Bern" in first.messages[-1].content and "Answer: Hull" in second.messages[-1].content
    assert first.messages[:-1] == second.messages[:-1], "what all checks share is read once"
    assert found.completion.prompt_tokens > 0 and weighed.messages[0] != first.messages[0]


def test_no_more_than_the_best_few_are_checked() -> None:
    engine = ScriptedEngine("Bern\nHull\n1931\nMs Okafor\nAssam", reply=lambda _: "no")
    assert span_answer(engine, retrieval(MARLIN, SHOP), QUESTION, "en").text == "Bern"
    assert len(engine.history) == 1 + CANDIDATES


def test_what_could_not_win_or_lose_is_not_checked() -> None:
    clear = ScriptedEngine("Hull")
    assert span_answer(clear, retrieval(MARLIN), QUESTION, "en").text == "Hull"
    ahead = ScriptedEngine("Hull\nBern\n1931", "yes")
    assert span_answer(ahead, retrieval(MARLIN), QUESTION, "en").text == "Hull"
    assert (len(clear.history), len(ahead.history)) == (1, 2)


def test_a_number_is_looked_for_as_a_whole_word() -> None:
    found = passage_of("8", "How many are there?", retrieval("There are 58 of them. The bus has 8 seats.").sources)
    assert found is not None and "8 seats" in found[1]
    assert passage_of("5", "How many are there?", retrieval("There are 58 of them.").sources) is None


def test_the_short_answer_is_a_span_and_the_last_step_cites_its_source() -> None:
    short = Answerer(ScriptedEngine("Hull")).stream(retrieval(SHOP, MARLIN), QUESTION, short=True)
    assert list(short) == ["Hull"] and short.result.citations == ()
    last = Answerer(ScriptedEngine("Hull")).stream(retrieval(SHOP, MARLIN), QUESTION, is_step=True)
    assert list(last) == ["Hull [2]"]
    assert [one.numbers for one in last.result.citations] == [(2,)]
    assert last.result.llm_tokens > 0


def test_what_else_is_asked_for_shortly_is_written() -> None:
    engine = ScriptedEngine("Assam and Keemun")
    stream = Answerer(engine).stream(retrieval(SHOP), "What does the shop sell?", short=True)
    assert "".join(stream) == "Assam and Keemun" and len(engine.history) == 1


def test_where_no_span_is_weighed_the_model_writes() -> None:
    stream = Answerer(ScriptedEngine("", "In a shipyard.")).stream(retrieval(MARLIN), QUESTION, short=True)
    assert "".join(stream) == "In a shipyard."


def test_a_stop_before_a_span_is_found_gives_no_answer() -> None:
    stream = Answerer(ScriptedEngine()).stream(retrieval(MARLIN), QUESTION, lambda: True, is_step=True)
    assert list(stream) == [] and not stream.result.was_begun


def test_a_stop_ends_the_weighing() -> None:
    engine = ScriptedEngine("Hull\nBern", "no", "no")
    stream = Answerer(engine).stream(retrieval(MARLIN), QUESTION, lambda: len(engine.history) == 2, short=True)
    assert list(stream) == ["Hull"] and stream.result.finish is Finish.CANCELLED


@pytest.mark.parametrize(
    ("span", "language", "told"),
    [
        ("2023-05-07", "en", "7 May 2023"),
        ("2023-05-07", "de", "7. Mai 2023"),
        ("2023-05-07", "es", "7 de mayo de 2023"),
        ("20230507", "en", "20230507"),
        ("2023", "en", "2023"),
        ("2023-05", "en", "May 2023"),
        ("2023-05", "fr", "mai 2023"),
        ("2023-13", "en", "2023-13"),
        ("2023-05-77", "en", "2023-05-77"),
    ],
)
def test_a_day_is_told_in_words(span: str, language: str, told: str) -> None:
    assert in_words(span, language) == told


def test_how_much_and_how_many_are_answered_by_a_number() -> None:
    context = "[1] (Lucerne) Stayed at the Linden for two nights, 84 francs, rain."
    for question in ("How much was the Linden?", "What was charged by the Linden?", "Combien de nuits au Linden ?"):
        spans = answer_spans(context, question, "en")
        assert {"84 francs", "two nights"} <= set(spans)
        assert not {"rain", "Lucerne", "Stayed"} & set(spans)
    assert "rain" in answer_spans(context, "What was the weather?", "en")


def small(*replies: str) -> ScriptedEngine:
    return ScriptedEngine(*replies, is_small=True)


def test_a_small_model_answers_a_question_for_a_fact_with_words_of_the_notes() -> None:
    engine = small("Hull\nBern", "yes")
    stream = Answerer(engine).stream(retrieval(SHOP, MARLIN), QUESTION)
    assert list(stream) == ["Hull [2]"] and not stream.result.abstained
    assert [one.numbers for one in stream.result.citations] == [(2,)]


def test_a_small_model_writes_where_words_are_not_likely_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noderag_local.generation.answering.FACT", Bounds(0.0, -100.0))
    engine = small("Hull", "no", "The Marlin was built in Hull [2].")
    stream = Answerer(engine).stream(retrieval(SHOP, MARLIN), QUESTION)
    assert "".join(stream) == "The Marlin was built in Hull [2]."
    assert stream.result.filter_tokens > 0, "what the weighing cost counts"


def test_where_no_passage_bears_the_words_out_the_notes_do_not_tell() -> None:
    stream = Answerer(small("Hull", "no")).stream(retrieval(SHOP, MARLIN), QUESTION)
    assert "".join(stream) == sentence("en") and stream.result.abstained
    quoted = Answerer(small("Hull", "no")).stream(retrieval(MARLIN), QUESTION, instead=lambda: f"{MARLIN} [1]")
    assert "".join(quoted) == f"{MARLIN} [1]" and not quoted.result.abstained
    assert quoted.result.note == QUOTED and quoted.result.citations[0].numbers == (1,)


def test_a_larger_model_writes() -> None:
    engine = ScriptedEngine("The Marlin was built in Hull [2].")
    assert "".join(Answerer(engine).stream(retrieval(SHOP, MARLIN), QUESTION)) == "The Marlin was built in Hull [2]."


def test_what_a_small_model_will_weigh_is_read_ahead() -> None:
    ahead, asked = small("", ""), small("Hull", "yes")
    Answerer(ahead).read_ahead(retrieval(MARLIN), QUESTION)
    Answerer(asked).stream(retrieval(MARLIN), QUESTION).finish()
    assert ahead.history[0].messages == asked.history[0].messages


def test_some_days_are_one_answer_without_the_day_that_has_no_month() -> None:
    assert date_spans("Conf 3-5 May 2025.") == ["3-5 May 2025", "5 May 2025"]
    assert date_spans("Conf May 3–5, 2025.") == ["May 3", "May 3–5, 2025"]
    assert date_spans("Fr 3.5. Zahnarzt") == ["3.5."]
    assert date_spans("Urlaub vom 3. bis 5.5.") == ["3. bis 5.5.", "5.5."]
    assert date_spans("Urlaub vom 3. bis 5. Mai 2025.") == ["3. bis 5. Mai 2025", "5. Mai 2025"]


def test_a_fact_that_is_a_day_is_one_of_the_dates() -> None:
    fell = "Anika fell at noon on 17 Sep, two days after 15/9/2024."
    assert date_spans(f"[2] (2024-10-08) {fell}") == ["15/9/2024", "17 Sep", "2024-10-08"]
    engine, asked = ScriptedEngine("noon\n17 Sep", "yes"), "When did Anika fall?"
    assert span_answer(engine, retrieval(fell), asked, "en", is_fact=True).text == "17 Sep"
    assert span_answer(ScriptedEngine("noon", "yes"), retrieval(fell), asked, "en").text == "noon"


def test_a_date_of_the_label_is_told_of_the_sentence_below_it() -> None:
    sources = [
        Source(1, "/notes/2024-10-08.md", 0, "Home again", (), 1, 2, 0, 9, "The cast came off. Anika cried."),
        Source(
            2, "/notes/2024-09-17.md", 0, "Tue 17 Sep", (), 1, 2, 0, 9, "Rain. Anika fell from the bars. Missed a call."
        ),
    ]
    found = passage_of("17 Sep", "When did Anika fall?", sources)
    assert found is not None
    assert found[0].number == 2 and found[1].startswith("2024-09-17 Tue 17 Sep: Rain. Anika fell from the bars.")
    named = passage_of("2024-10-08", "When did Anika fall?", sources)
    assert named is not None and named[0].number == 1
    assert passage_of("1 May", "When did Anika fall?", sources) is None
