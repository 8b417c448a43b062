"""Questions of several steps, taken apart by their shape."""

from __future__ import annotations

import pytest

from noderag_local.generation.decomposition import steps_of


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("What is the job of Rosa Mensah's sister?", ("Who is Rosa Mensah's sister?", "What is the job of {1}?")),
        # Works, makers and places.
        (
            "Who is the owner of the record label that the performer of Night Boat is on?",
            (
                "Who is the performer of Night Boat?",
                "Which is the record label that {1} is on?",
                "Who is the owner of {2}?",
            ),
        ),
        (
            "When did the country where the village of Lund is located become a republic?",
            ("Which is the country where the village of Lund is located?", "When did {1} become a republic?"),
        ),
        (
            "Who is the spouse of Night Boat's main director?",
            ("Who is the main director of Night Boat?", "Who is the spouse of {1}?"),
        ),
        (
            "What school did the author of A Room with a View attend?",
            ("Who is the author of A Room with a View?", "What school did {1} attend?"),
        ),
        (
            "Which river flows by the birthplace of Ana Lee?",
            ("What is the birthplace of Ana Lee?", "Which river flows by {1}?"),
        ),
        ("Occupation of Ana Lee's sister?", ("Who is Ana Lee's sister?", "Occupation of {1}?")),
        ("Ana Lee has a sister. What's her occupation?", ("Who is Ana Lee's sister?", "What's {1}'s occupation?")),
        (
            "The friend who lent me the drill has a brother; where does he live?",
            ("Who is the friend who lent me the drill?", "Who is {1}'s brother?", "where does {2} live?"),
        ),
        (
            "whoever told me to read Kiln, what's their sister allergic to?",
            ("Who is the person who told me to read Kiln?", "Who is {1}'s sister?", "what's {2} allergic to?"),
        ),
        (
            "the person I lent Kiln to, where do they work?",
            ("Who is the person I lent Kiln to?", "where do {1} work?"),
        ),
        (
            "Identify who recommended Kiln. What is that person's sister allergic to?",
            ("Who recommended Kiln?", "Who is {1}'s sister?", "What is {2} allergic to?"),
        ),
        (
            "Tell me what the sister of the one who told me to read Kiln is allergic to.",
            ("Who is the one who told me to read Kiln?", "Who is {1}'s sister?", "Tell me what {2} is allergic to?"),
        ),
        (
            "I got the harira recipe off someone, what are they allergic to?",
            ("I got the harira recipe off whom?", "what are {1} allergic to?"),
        ),
        ("Who is the author of Night Boat?", None),
        ("What does the sister of Ana Lee do?", None),
        (
            "What does the sister of Ana Lee do for a living?",
            ("Who is Ana Lee's sister?", "What does {1} do for a living?"),
        ),
        (
            "Where does the person work to whom I lent Salt Roads?",
            ("Who is the person to whom I lent Salt Roads?", "Where does {1} work?"),
        ),
        (
            "What is the person allergic to who gave me the recipe for harira?",
            ("Who is the person who gave me the recipe for harira?", "What is {1} allergic to?"),
        ),
        (
            "In which city does the person who recommended the Hotel Linden live?",
            ("Who is the person who recommended the Hotel Linden?", "In which city does {1} live?"),
        ),
        (
            "Where does the brother of the colleague who recommended Kiln live?",
            ("Who is the colleague who recommended Kiln?", "Who is {1}'s brother?", "Where does {2} live?"),
        ),
        (
            "In which town is the company that makes the lens for Heron?",
            ("Which is the company that makes the lens for Heron?", "In which town is {1}?"),
        ),
        (
            "I lent Salt Roads to somebody. Which company do they work for?",
            ("I lent Salt Roads to whom?", "Which company do {1} work for?"),
        ),
        (
            "With regard to the friend from whom the recipe for harira was had by me, in which town does he live?",
            (
                "Who is the friend from whom the recipe for harira was had by me?",
                "With regard to {1}, in which town does he live?",
            ),
        ),
        (
            "What is the place of work of the friend to whom Kiln was lent by me?",
            ("Who is the friend to whom Kiln was lent by me?", "What is the place of work of {1}?"),
        ),
        (
            "Kiln was somebody's tip. What does that somebody's sister have to avoid?",
            ("Kiln was whose tip?", "Who is {1}'s sister?", "What does {2} have to avoid?"),
        ),
        (
            "Who is Ana Lee's sister, and where does she live?",
            ("Who is Ana Lee's sister?", "Where does {1} live?"),
        ),
        ("Who is Ana and where is the key?", None),
        (
            "Someone recommended Salt Roads to me. What is their sister allergic to?",
            ("Who recommended Salt Roads to me?", "Who is {1}'s sister?", "What is {2} allergic to?"),
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
        "{} {1}'s sister's {2}?",
        "Where does the friend who lent me the {1} live?",
    ],
)
def test_a_question_of_one_step_stays_whole(question: str) -> None:
    assert steps_of(question) == ()


@pytest.mark.parametrize(
    "question",
    ["What did I think of the way in which Kiln ends?", "What came of the manner in which Ana was asked?"],
)
def test_how_something_is_done_is_no_thing_to_find_first(question: str) -> None:
    assert steps_of(question) == ()


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        (
            "Wo arbeitet der Mann, der mir das Boot verkauft hat?",
            ("Wer ist der Mann, der mir das Boot verkauft hat?", "Wo arbeitet {1}?"),
        ),
        (
            "Wie heißt die Tochter der Frau, die mir das Rezept gegeben hat?",
            ("Wer ist die Frau, die mir das Rezept gegeben hat?", "Wie heißt die Tochter von {1}?"),
        ),
        (
            "Der Freund, der mir die Bohrmaschine geliehen hat, wo wohnt der?",
            ("Wer ist der Freund, der mir die Bohrmaschine geliehen hat?", "{1}, wo wohnt der?"),
        ),
        (
            "Die Kollegin, mit der ich in Bremen war: wie heißt ihr Hund?",
            ("Wer ist die Kollegin, mit der ich in Bremen war?", "{1}, wie heißt ihr Hund?"),
        ),
        (
            "Wie heißt der Hund von dem, der mir die Leiter geliehen hat?",
            ("Wer ist der, der mir die Leiter geliehen hat?", "Wie heißt der Hund von {1}?"),
        ),
        (
            "Comment s'appelle le chien de celui qui m'a fabriqué la boîte à couture en noyer ?",
            ("Qui est celui qui m'a fabriqué la boîte à couture en noyer?", "Comment s'appelle le chien de {1}?"),
        ),
        (
            "Que vend la sœur du monsieur dont M. Roux a repris le logement ?",
            ("Qui est le monsieur dont M. Roux a repris le logement?", "Que vend la sœur de {1}?"),
        ),
        (
            "L'ami qui a prêté sa camionnette, où a-t-il ouvert sa boutique ?",
            ("Qui est l'ami qui a prêté sa camionnette?", "{1}, où a-t-il ouvert sa boutique?"),
        ),
        (
            "¿En qué ciudad vive el amigo al que presté la tienda?",
            ("¿Quién es el amigo al que presté la tienda?", "¿En qué ciudad vive {1}?"),
        ),
        (
            "La vecina que nos regaló las plantas, ¿qué estudia su hija?",
            ("¿Quién es la vecina que nos regaló las plantas?", "{1}, ¿qué estudia su hija?"),
        ),
        (
            "The player who argued in the final - which airline is training him now?",
            ("Who is the player who argued in the final?", "which airline is training {1} now?"),
        ),
        (
            "The neighbour whose heater saved our pipes: what was she before she retired?",
            ("Who is the neighbour whose heater saved our pipes?", "what was {1} before she retired?"),
        ),
    ],
)
def test_somebody_whom_a_clause_describes_is_found_first(question: str, steps: tuple[str, ...]) -> None:
    assert steps_of(question) == steps


@pytest.mark.parametrize(
    "question",
    [
        # What is asked of a thing mostly stands where the thing is described.
        "Was kostet die Lampe, die ich im Flur aufgehängt habe?",
        "Combien coûte le vélo que Karim m'a vendu ?",
        "¿Cuánto cuesta el libro que me recomendó Ana?",
        "Le jour où j'ai conduit Théo en Suisse ?",
        "Combien de vidanges sur la Fabia depuis que je l'ai ?",
        # The verb of the question stands behind the clause.
        "Quelle graine le râleur qui lit L'Équipe a-t-il emportée ?",
        "Wer ist der Mann, der immer winkt?",
        "Qui est celui qui chante ?",
        "Est-ce que la femme qui m'a aidée est infirmière ?",
        "der die das, der, die",
        "celui qui celui qui",
    ],
)
def test_a_clause_about_a_thing_or_of_the_whole_question_stays(question: str) -> None:
    assert steps_of(question) == ()
