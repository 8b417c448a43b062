"""Questions of several steps, taken apart by their shape."""

from __future__ import annotations

import pytest

from noderag_local.generation.decomposition import steps_of


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("What is the job of Rosa Mensah's sister?", ("Who is Rosa Mensah's sister?", "What is the job of {}?")),
        # Works, makers and places.
        (
            "Who is the owner of the record label that the performer of Night Boat is on?",
            (
                "Who is the performer of Night Boat?",
                "Which is the record label that {} is on?",
                "Who is the owner of {}?",
            ),
        ),
        (
            "When did the country where the village of Lund is located become a republic?",
            ("Which is the country where the village of Lund is located?", "When did {} become a republic?"),
        ),
        (
            "Who is the spouse of Night Boat's main director?",
            ("Who is the main director of Night Boat?", "Who is the spouse of {}?"),
        ),
        (
            "What school did the author of A Room with a View attend?",
            ("Who is the author of A Room with a View?", "What school did {} attend?"),
        ),
        (
            "Which river flows by the birthplace of Ana Lee?",
            ("What is the birthplace of Ana Lee?", "Which river flows by {}?"),
        ),
        ("Occupation of Ana Lee's sister?", ("Who is Ana Lee's sister?", "Occupation of {}?")),
        ("Ana Lee has a sister. What's her occupation?", ("Who is Ana Lee's sister?", "What's {}'s occupation?")),
        (
            "The friend who lent me the drill has a brother; where does he live?",
            ("Who is the friend who lent me the drill?", "Who is {}'s brother?", "where does {} live?"),
        ),
        (
            "whoever told me to read Kiln, what's their sister allergic to?",
            ("Who is the person who told me to read Kiln?", "Who is {}'s sister?", "what's {} allergic to?"),
        ),
        (
            "the person I lent Kiln to, where do they work?",
            ("Who is the person I lent Kiln to?", "where do {} work?"),
        ),
        (
            "Identify who recommended Kiln. What is that person's sister allergic to?",
            ("Who recommended Kiln?", "Who is {}'s sister?", "What is {} allergic to?"),
        ),
        (
            "Tell me what the sister of the one who told me to read Kiln is allergic to.",
            ("Who is the one who told me to read Kiln?", "Who is {}'s sister?", "Tell me what {} is allergic to?"),
        ),
        (
            "I got the harira recipe off someone, what are they allergic to?",
            ("I got the harira recipe off whom?", "what are {} allergic to?"),
        ),
        ("Who is the author of Night Boat?", None),
        ("What does the sister of Ana Lee do?", None),
        (
            "What does the sister of Ana Lee do for a living?",
            ("Who is Ana Lee's sister?", "What does {} do for a living?"),
        ),
        (
            "Where does the person work to whom I lent Salt Roads?",
            ("Who is the person to whom I lent Salt Roads?", "Where does {} work?"),
        ),
        (
            "What is the person allergic to who gave me the recipe for harira?",
            ("Who is the person who gave me the recipe for harira?", "What is {} allergic to?"),
        ),
        (
            "In which city does the person who recommended the Hotel Linden live?",
            ("Who is the person who recommended the Hotel Linden?", "In which city does {} live?"),
        ),
        (
            "Where does the brother of the colleague who recommended Kiln live?",
            ("Who is the colleague who recommended Kiln?", "Who is {}'s brother?", "Where does {} live?"),
        ),
        (
            "In which town is the company that makes the lens for Heron?",
            ("Which is the company that makes the lens for Heron?", "In which town is {}?"),
        ),
        (
            "I lent Salt Roads to somebody. Which company do they work for?",
            ("I lent Salt Roads to whom?", "Which company do {} work for?"),
        ),
        (
            "Someone recommended Salt Roads to me. What is their sister allergic to?",
            ("Who recommended Salt Roads to me?", "Who is {}'s sister?", "What is {} allergic to?"),
        ),
    ],
)
def test_steps(question: str, steps: tuple[str, ...] | None) -> None:
    assert steps_of(question) == (steps or ())


@pytest.mark.parametrize(
    "question",
    [
        "Who is Ana?",
        "What's the author of Kiln doing now?",
        "Where is Bruno's head torch?",
        "When is Ana's band practice?",
        "When did the landlord promise that he would fix the boiler?",
        "What did the dentist say that I should avoid?",
        "What is the name of Priya's husband?",
        "Who has my copy of Salt Roads?",
        "What is the book that I lent to Jonas?",
        "When does the lease end?",
        "Wann endet der Mietvertrag?",
        "",
        "the the the that that that",
        "{} {}'s sister's {}?",
    ],
)
def test_a_question_of_one_step_stays_whole(question: str) -> None:
    assert len(steps_of(question)) in (0, 2, 3, 4)
    if "{" not in question:
        assert steps_of(question) == ()
