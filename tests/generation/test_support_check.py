"""What a statement must share with its passage to be called supported, beyond the same words."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.citations import annotate

LABELLED = Path(__file__).parents[1] / "data" / "support"
PEOPLE = "Wanda Solberg rang. She sold her bicycle to Nuno Ferri. Nuno teaches physics in Trieste, Wanda paints."
PLANS = "The lab might move to Basel. Tobias is unsure whether to hire Olga. The roof was not repaired, the cellar was painted."
DATES = "Weight: 5.1 kg in February 2026, 4.6 kg in November 2026. Born on 14 March 2018. Two cats and three dogs."


def supported(passage: str, answer: str, question: str = "", title: str = "Notes") -> bool:
    source = Source(1, f"/notes/{title}.md", 0, title, (), 1, 1, 0, len(passage), passage)
    return all(one.supported for one in annotate(f"{answer} [1]", [source], question))


@pytest.mark.parametrize(
    ("line", "question", "right", "wrong"),
    [
        (
            "- Brother: Rui Oliveira, who still lives in Porto",
            "Where does she live?",
            "Rui lives in Porto.",
            "Marta lives in Porto.",
        ),
        (
            "- Brother: Rui Oliveira, who still lives in Porto",
            "",
            "Marta's brother lives in Porto.",
            "Marta lives in Porto.",
        ),
        (
            "Su hermano mayor es Rui, que vive cerca de Lugo.",
            "¿Dónde vive Marta?",
            "Rui vive cerca de Lugo.",
            "Marta vive cerca de Lugo.",
        ),
        ("Son frère est Rui, qui habite à Porto.", "Où habite Marta ?", "Rui habite à Porto.", "Marta habite à Porto."),
    ],
)
def test_a_relative_clause_tells_of_the_name_before_it(line: str, question: str, right: str, wrong: str) -> None:
    assert supported(line, right, question, "Marta Oliveira")
    assert not supported(line, wrong, question, "Marta Oliveira")


@pytest.mark.parametrize(
    ("passage", "right", "wrong"),
    [
        (PEOPLE, "Wanda sold her bicycle to Nuno.", "Nuno sold his bicycle to Wanda."),
        (PEOPLE, "Nuno bought the bicycle from Wanda.", "Wanda bought the bicycle from Nuno."),
        (PEOPLE, "Nuno teaches physics.", "Wanda teaches physics."),
        (PEOPLE, "Nuno teaches physics in Trieste.", "Nuno lives in Trieste and teaches physics in Parma."),
        (PLANS, "The lab might move to Basel.", "The lab moves to Basel."),
        (PLANS, "The cellar was painted.", "The roof was painted."),
        (PLANS, "The roof was not repaired.", "The roof was repaired."),
        (DATES, "In November 2026 the weight was 4.6 kg.", "In November 2026 the weight was 5.1 kg."),
        (DATES, "The weight was 4.6 kg.", "The weight was 4.6 pounds."),
        (DATES, "Born on 2018-03-14.", "Born on 2018-03-15."),
        (DATES, "There are 2 cats and 3 dogs.", "There are 3 cats and 2 dogs."),
        ("Ida moved from Graz to Parma.", "Ida moved to Parma.", "Ida moved to Graz."),
        ("Jonas lent me his drill.", "Jonas lent you his drill.", "You lent Jonas a drill."),
        ("Thomas hat mir seine Leiter geliehen.", "Thomas hat dir seine Leiter geliehen.", "Du hast Thomas die Leiter geliehen."),
        ("Claire n'aime pas les chiens.", "Claire n'aime pas les chiens.", "Claire aime les chiens."),
        ("李伟借给我一把雨伞。", "李伟借给你一把雨伞。", "你借给李伟一把雨伞。"),
    ],
)  # fmt: skip
def test_the_same_words_in_another_order_or_sense_are_no_support(passage: str, right: str, wrong: str) -> None:
    assert supported(passage, right)
    assert not supported(passage, wrong)


@pytest.mark.parametrize(
    ("passage", "right", "wrong"),
    [
        ("Christian lent me the drill.", "Christian lent you the drill.", "Christine lent you the drill."),
        ("Johanna is allergic to nuts.", "Johanna is allergic to nuts.", "Johannes is allergic to nuts."),
        ("The dose is 0.125 mg.", "The dose is 0.125 mg.", "The dose is 125 mg."),
        ("The PIN is 0042.", "The PIN is 0042.", "The PIN is 42."),
        ("The freezer is at -18 °C.", "The freezer is at minus 18 °C.", "The freezer is at 18 °C."),
        ("The train leaves at 7:30 am.", "The train leaves at 7:30.", "The train leaves at 7:30 pm."),
        ("The train leaves at 19:30.", "The train leaves at 7:30 pm.", "The train leaves at 7:30 am."),
        ("The shop opens at 3pm.", "The shop opens at 3 pm.", "The shop opens at 3 am."),
        ("The shelf is 20cm deep.", "The shelf is 20 cm deep.", "The shelf is 21 cm deep."),
        ("The rent is 650,00 euros.", "The rent is 650 euros.", "The rent is 65000 euros."),
        ("Dinner is at 7:30pm.", "Dinner is at 19:30.", "Dinner is at 7:30am."),
        ("Das Boot liegt in Halle 24 am Hafen.", "Das Boot liegt in Halle 24.", "Das Boot liegt in Halle 25."),
        ("Il faut chauffer à au moins 60 °C.", "Il faut chauffer à 60 °C.", "Il faut chauffer à 70 °C."),
        ("Wash it at 30°-40°.", "Wash it at 40°.", "Wash it at 60°."),
        ("Abfahrt ist um 08.15 Uhr.", "Abfahrt ist um 8.15 Uhr.", "Abfahrt ist um 9.15 Uhr."),
        (
            "Die Reise nach Japan im August war schön und lang.\nVisum nötig: nein",
            "Kein Visum ist nötig.",
            "Ein Visum ist nötig.",
        ),
        ("Visa needed: no", "No visa is needed.", "A visa is needed."),
    ],
)
def test_names_and_numbers_are_the_same_in_other_spellings_only(passage: str, right: str, wrong: str) -> None:
    assert supported(passage, right)
    assert not supported(passage, wrong)


def test_an_hour_is_no_count() -> None:
    assert not supported("She is at the children's party at 3 pm.", "She has 3 children.")


def test_an_answer_of_marks_alone_is_not_supported() -> None:
    question = "Which recipes use chickpeas?"
    assert not supported("# Hummus\n\n- 250 g chickpeas", "The recipes that use chickpeas are [1],", question)
    assert not supported("# Hummus\n\n- 250 g chickpeas", "", question)
    assert supported("# Hummus\n\n- 250 g chickpeas", "Hummus", question)


def test_a_row_of_a_table_says_what_its_columns_say() -> None:
    rows = (
        "date: 2025-05-07; item: drill; price in euros: 171\ndate: 2025-03-01; item: bread knife; price in euros: 174"
    )
    assert supported(rows, "The drill cost 171 euros on 7 May 2025.")
    assert not supported(rows, "The bread knife cost 171 euros.")
    markdown = "| item | price |\n| --- | --- |\n| drill | 171 |\n| knife | 174 |"
    assert supported(markdown, "The price of the drill is 171.")
    assert not supported(markdown, "The price of the knife is 171.")


def test_a_surname_may_stand_in_another_passage() -> None:
    told = Source(1, "/notes/diary.md", 0, "Diary", (), 1, 1, 0, 60, "I took the disk to Wanda, who keeps it in a box.")
    page = Source(2, "/notes/Wanda Solberg.md", 0, "Wanda Solberg", (), 1, 1, 0, 20, "She paints.")
    other = Source(3, "/notes/list.md", 0, "List", (), 1, 1, 0, 20, "Wanda Ferri sings.")
    answer = "Wanda Solberg keeps the disk [1]."
    assert annotate(answer, [told, page])[0].supported
    assert not annotate(answer, [told])[0].supported
    assert not annotate("Wanda Ferri keeps the disk [1].", [told, page])[0].supported
    assert not annotate(answer, [told, page, other])[0].supported, "it may be the other one"


def test_the_title_tells_whom_a_note_is_about() -> None:
    assert supported("Lives in Porto. Allergic to latex.", "Dagny is allergic to latex.", title="Dagny Teixeira")
    assert not supported("Lives in Porto. Allergic to latex.", "Freya is allergic to latex.", title="Dagny Teixeira")


def test_a_fragment_answers_what_was_asked() -> None:
    passage = "Works at Lumicon. Born in May. Lives in Porto. No longer at the town hall, now at Café Orient."
    assert supported(passage, "Porto", "Where does Dagny live?", "Dagny")
    assert not supported(passage, "Porto", "Where does Dagny work?", "Dagny")
    assert not supported(passage, "The town hall.", "Where is the meeting?")


def test_a_number_is_no_answer_where_its_sentence_has_no_word_of_the_question() -> None:
    passage = "The plumber fixed the tap, 85 EUR. The car is in the garage."
    assert not supported(passage, "The car repair cost 85 EUR.", "How much did the car repair cost?")
    assert supported(passage, "The plumber cost 85 EUR.", "How much did the plumber cost?")
    assert supported("Fixed for 85 EUR.", "The tap cost 85 EUR.", "How much did the tap cost?", title="Tap")


def test_yes_and_no_are_held_against_the_question() -> None:
    question = "Is Jonas allergic to hazelnuts?"
    assert supported("Jonas is allergic to hazelnuts.", "Yes.", question)
    assert not supported("Jonas is allergic to hazelnuts.", "No.", question)
    assert supported("Jonas is not allergic to hazelnuts.", "No.", question)


def test_passages_and_answers_without_any_full_stop_are_read() -> None:
    hostile = "1,1 a* _b_ [[c " * 3000
    assert not supported(hostile, "Anna lives in Porto with 12 cats, " * 100)
    assert not supported("之一不" * 3000, "设计师是王小明，" * 100)


def test_nearly_all_labelled_answers_are_told_apart() -> None:
    called = [
        (is_right, supported_of(passages, answer, question)) for passages, question, answer, is_right in labelled()
    ]
    true = called.count((True, True))
    assert true / sum(said for _, said in called) >= 0.9
    assert true / sum(is_right for is_right, _ in called) >= 0.9


def labelled() -> Iterator[tuple[list[list[str]], str, str, bool]]:
    for file in sorted(LABELLED.glob("*.toml")):
        for construction in tomllib.loads(file.read_text(encoding="utf-8")).values():
            for asked in construction["asked"]:
                for label in ("right", "wrong"):
                    for line in asked[label]:
                        answer = line.split(": ", 1)[1]
                        yield construction["passages"], asked["question"], answer, label == "right"


def supported_of(passages: list[list[str]], answer: str, question: str) -> bool:
    sources = [
        Source(number, f"/notes/{title}.md", 0, title, (), 1, 1, 0, len(text), text.strip())
        for number, (title, text) in enumerate(passages, 1)
    ]
    said = answer if "[" in answer else f"{answer} [1]"
    return all(one.supported for one in annotate(said, sources, question))
