"""Where a line break ends a statement, and where it only wraps prose."""

from __future__ import annotations

import pytest

from noderag_local.ingest.formats.text.line_breaks import are_jotted, statement_ends


@pytest.mark.parametrize(
    ("lines", "ends"),
    [
        (["pilates early, hard class", "Lunch with Ignacio downtown."], [True]),
        (["Bought a rope, a lamp and a", "map for the trip."], [False]),
        (["dishwasher, 3 years old,", "Bosch"], [False]),
        (["paid the plumber", "80 euros in cash"], [False]),
        (["流感疫苗 每年10月", "水痘第二针 已打"], [False]),
        (
            ["The mill stands at the end of the long road that", "Ana took on Sunday, and nobody has lived in it."],
            [False],
        ),
    ],
    ids=[
        "short lines",
        "goes on in small letters",
        "goes on after a comma",
        "goes on with a number",
        "Chinese",
        "wide",
    ],
)
def test_lines_too_short_to_be_wrapped_are_statements(lines: list[str], ends: list[bool]) -> None:
    assert statement_ends(lines) == ends


LOCKERS = [
    "storage cage at the rink: no. 14, lock 22-8-36",
    "my own locker lock at the same place 31-5-19",
    "first aid: white bag with tape, ice packs, juice",
    "helmet stickers ordered",
    "my skates size 7.5, Ewan's 9.5, and the others are all listed in the book of the club",
]


@pytest.mark.parametrize(
    ("lines", "ends"),
    [
        (LOCKERS, [True] * 4),
        (["clopidogrel 75 am", "atorvastatin 80 pm", "lisinopril 20 am", "D3 1000 IU in the evening"], [True] * 3),
        (
            ["renewed to 30 Apr 2027", "2,780 a month", "common area snow = him, sidewalk in front of the shop = us"],
            [True, True],
        ),
        (["tram to the quay", "boat at ten, tickets are in the blue folder with the maps"], [True]),
        (["Oct 12 2024", "started writing again, the doctor said so, and here I am at it"], [True]),
        (["milk,", "eggs", "the ladder of Harold, who wants it back on Sunday at the latest"], [False, True]),
        (
            [
                "stand mixer to Trish",
                "tent to Gus, who has it with him up north since the summer of 2025",
                "cooler, back",
                "pen",
            ],
            [True] * 3,
        ),
        (
            ["Rent 640", "a line that is about as long as any of them in all these notes", "may continue", "Van 35"],
            [True, False, True],
        ),
    ],
    ids=[
        "small letters",
        "doses",
        "numbers",
        "two lines",
        "a date",
        "goes on after a comma",
        "small letters after a full line",
        "a full line goes on",
    ],
)
def test_jotted_lines_are_statements_whatever_they_begin_with(lines: list[str], ends: list[bool]) -> None:
    assert statement_ends(lines) == ends


@pytest.mark.parametrize(
    "lines",
    [
        [
            "Each call returns a chunk of the",
            "data, or nothing, which means that there is no more to read for",
            "now. A loop is needed.",
        ],
        [
            "The tool is made by a small",
            "team of people who live in different parts of the world, in",
            "one time zone or another, and",
            "write.",
        ],
        [
            "We looked for the old mill again and found what was left of it behind",
            "https://maps.example.org/mills/of/the/upper/valley/and/their/history/as/told/by/those/who/lived/there",
            "hedges that nobody cut for years, so that one has to crawl below them",
            "until the wall of the wheel house stands there, green and half broken",
        ],
    ],
    ids=["a long line", "ragged", "an address"],
)
def test_lines_that_stop_in_the_middle_of_sentences_are_prose(lines: list[str]) -> None:
    assert not any(statement_ends(lines))


FACTS = [
    "AC filter      20x25x1, the return in the hall; the unit in the bedroom is washable",
    "cooler pads    34x36 aspen, 4 of them, motor replaced in July, belt 4L-470",
    "water heater   50 gallons, gas, 2017, anode 2022, to be drained every year in spring",
    "breakers       6 radio bench, 11 kitchen left, 12 kitchen right, 14 cooler, 17 den",
    "panel 200 A",
]


def test_rows_in_columns_are_statements() -> None:
    assert statement_ends(FACTS) == [True] * 4


JOTTED = """simplex with Hector's boy
repeater on Sundays only
beer for the crew
batteries in June
coax 2 rolls
Cat Hill gate code 1914, key in the box
fan in the shed runs all day, don't turn it off
net control turns
club dues 30
ask Gus

Ewan's test went well, and from now on he is in the other stream
locker 1180

We looked for the old mill again and found what was left of it
hidden behind hedges that nobody cut for years, so that one has
to crawl below them until the wall of the wheel house is there.
"""
WRAPPED = """We looked for the old mill again and found what was left of it
behind hedges that nobody cut for years, so that one has to go
below them until the wall of the wheel house stands there, half
broken.

Ewan's test went well, and from now on he is in another stream
than before, which is what he wanted.

It rained for the whole day, and nobody went out but the dogs,
who like it.
"""


def test_a_text_tells_by_its_margin_whether_it_is_wrapped() -> None:
    assert are_jotted(JOTTED)
    assert not are_jotted(WRAPPED)


def test_in_a_text_of_jotted_lines_two_long_ones_are_statements_and_a_full_paragraph_is_none() -> None:
    notes, test, mill = (text.splitlines() for text in JOTTED.strip().split("\n\n"))
    assert statement_ends(test) == [False]
    assert statement_ends(test, in_jotted=True) == [True]
    assert statement_ends(notes, in_jotted=True) == [True] * 9
    assert statement_ends(mill, in_jotted=True) == [False, False]
