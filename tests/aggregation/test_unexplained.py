"""Nothing is counted where sentences about the thing have no day, or say it in words that are not understood."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed

TODAY = date(2026, 6, 20)

NOTES = {
    "Heft/02-mär-2026.md": "Mit dem Velo gefahren, 20 km.\n",
    "Heft/09-mär-2026.md": "Velotour der Töss entlang.\n",
    "Heft/12-apr-2026.md": "Mit dem Velo gefahren, 31 km.\n",
    "Heft/13-apr-2026.md": "Velotour wegen Gewitter abgesagt.\n",
    "Heft/03-mai-2026.md": "Ausfahrt mit dem Velo, 12 km.\n",
    "Heft/04-mai-2026.md": "Zmittag mit Verena Räber in der Altstadt.\n",
    "Heft/05-mai-2026.md": "Verena und ich, den ganzen Abend Karten.\n",
    "Heft/06-apr-2026.md": "Zmittag mit Verena Räber in der Altstadt.\n",
    "Heft/07-apr-2026.md": "Brief von Verena Räber bekommen.\n",
    "Heft/08-apr-2026.md": "Verena Räber das Zelt ausgeliehen.\n",
    "Kasse/2026.csv": "Datum,Was,EUR\n2026-02-01,Holz von Verena Räber,420\n",
    "Leute/Rolf Henze.md": "# Rolf Henze\n\nAllergisch gegen Walnüsse.\n",
    "Karten/Siegfried.md": "Bruder: Rolf Henze.\n",
    "Post/an Lüer.md": "Gudrun am Telefon, ich soll unbedingt „Kranichjahr“ hören.\n",
    "log/1 running.md": "Ran along the canal.\n",
    "log/2 running.md": "Ran twice round the park.\n",
    "log/2026-03-05.md": "Ran to the mill.\n",
    "log/2026-03-06.md": "Yoga on the roof.\n",
    "log/2026-04-06.md": "Yoga in the park.\n",
    "pages/yoga teacher.md": "Yoga teacher: Kofi.\n",
    "Réunions/2026-02-10 Phare.md": "# Réu Phare, 10/02\n\n- Deadline : 3 mars 2026\n- Lieu de la fête : salle A\n",
    "Réunions/2026-03-10 Phare.md": "# Réu Phare, 10/03\n\n- Deadline : 4 avril 2026\n- On fera la fête au port, finalement\n",
    "money/outlay.csv": "date,item,shop,eur\n22/01/26,loupe,Tolley,25\n07/05/26,bath,Tolley,153\n",
    "money/invoices.csv": "date,client,eur,status\n2026-03-16,Larkspur,470,paid\n2026-03-23,Larkspur,470,void\n2026-04-01,Larkspur,470,paid\n",
    "dumps/week of 2026-03-02.md": "Tuesday we hiked up Max Patch and nobody cried.\n",
    "Leute/Verena Räber.md": "# Verena Räber\n\nWohnt in Chur.\n",
    "Leute/Corinne Bosshard.md": "# Corinne Bosshard\n\nWohnt in Chur.\n",
}


@pytest.fixture(scope="module")
def compute(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Computed | None]]:
    with computing(indexed(tmp_path_factory.mktemp("unexplained"), NOTES), TODAY) as compute:
        yield compute


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wie oft bin ich im April 2026 Velo gefahren?", "1 Mal"),
        # A letter and a loan are no meetings.
        ("Wie oft habe ich Verena Räber im April 2026 getroffen?", "1 Mal"),
        ("How often did I do yoga in March 2026?", "1 time"),
        ("When did I last do yoga?", "6 April 2026"),
        ("When did I last hike?", "3 March 2026"),
        ("How much did Larkspur pay me in 2026?", "940 EUR"),
        ("C'est quoi la dernière deadline pour Phare ?", "Deadline : 4 avril 2026"),
    ],
)
def test_what_is_told_in_known_words_is_counted(
    compute: Callable[[str], Computed | None], question: str, answer: str
) -> None:
    found = compute(question)
    assert found is not None
    assert [part.text for part in found.parts] == [answer]


@pytest.mark.parametrize(
    "question",
    [
        # "Velotour" may be a ride, and so may "Ausfahrt mit dem Velo".
        "Wie oft bin ich im März 2026 Velo gefahren?",
        "Wie oft bin ich im Mai 2026 Velo gefahren?",
        "Wann bin ich zuletzt Velo gefahren?",
        # An evening of cards was a meeting as well.
        "Wie oft habe ich Verena Räber im Mai 2026 getroffen?",
        "Wann habe ich Verena Räber zuletzt getroffen?",
        # Two of three notes about running have no day.
        "How often did I run in March 2026?",
        "When did I last run?",
        # Nothing tells who recommended it, so no brother is meant.
        "Jemand hat mir „Kranichjahr“ empfohlen. Wogegen ist der Bruder dieser Person allergisch?",
        # "Together" adds nothing up where a day is asked for.
        "Mit Verena Räber zusammen gewesen, Datum?",
        # The second day is in May or in July.
        "How much did I spend at Tolley in 2026?",
        # A later line may tell of another place.
        "Où se tient maintenant la fête Phare ?",
    ],
)
def test_what_may_be_told_in_other_words_is_not(compute: Callable[[str], Computed | None], question: str) -> None:
    assert compute(question) is None
