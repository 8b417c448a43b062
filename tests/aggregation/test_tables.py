"""Questions about tables whose name says what they are about, and about one column of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.measures import measure_of, unit_of
from noderag_local.aggregation.tables import value_of

TODAY = date(2026, 11, 20)

NOTES = {
    "Sport/swims 2026.csv": "date,place,km,min\n2026-05-30,lake,1.5,40\n2026-06-02,pool,2,48\n2026-06-14,lake,3.2,80\n"
    "2026-06-14,pool,1,22\n2026-07-01,lake,1,25\n",
    "Office/expenses of the firm.csv": "date,item,eur,note\n2026-02-04,paper,30,for Ada\n",
    "Sport/swim gear.csv": "item,price,km\ngoggles,20,7\nfins,35,9\n",
    "Sport/Runs.md": "# Runs\n\nMy log.\n\n| Date | Route | Distance (km) | Pace (min/km) |\n| --- | --- | --- | --- |\n"
    "| 2026-05-01 | river | 10 | 5:40 |\n| 2026-05-08 | hill | 8.5 | 6:10 |\n| 2026-05-20 | river | 12 | 5:25 |\n",
    "expenses-2026.csv": "date,category,shop,amount_eur\n2026-01-03,van,Garage Ott,480\n2026-02-03,van,Tyres,120.50\n"
    "2026-02-04,food,Market,30\n2026-02-28,,Subtotal,150.50\n",
    "Bees/hive weights.csv": "date,hive,kg\n2026-05-01,1,31\n2026-05-01,2,28\n2026-06-01,1,35\n2026-06-01,2,30\n",
    "Office/Invoices.csv": "number,date,customer,amount (EUR)\n17,2026-01-10,Weir,1200\n18,2026-02-11,Mill,340.50\n"
    ",,Total,1540.50\n",
    "Büro/Rechnungen 2026.csv": "Datum;Kunde;Betrag (EUR)\n2026-01-10;Weir;1200,50\n2026-02-10;Moll;80,25\n"
    "Summe;;1280,75\n",
    "Sport/Gym.md": "# Gym\n\n| date | exercise | kg |\n|---|---|---|\n| 2026-05-01 | squat | 80 |\n"
    "| 2026-05-08 | squat | 85 |\n| 2026-05-08 | bench | 60 |\n",
    "Sport/hikes.csv": 'date,distance_km,height_m\n2026-05-01,850,"1,250"\n2026-05-02,"1,250","2,100"\n',
    "Sport/marathons.csv": "date,km\n2026-05-01,42.195\n2026-05-02,10\n",
    "Rides.csv": "date,km\n2026-05-01,20\n2026-05-02,far\n",
    "Daily/2026-06-14.md": "# 14 June 2026\n\nSwam twice, a long day.\n",
    "Daily/2026-08-03.md": "# 3 August 2026\n\nWent swimming with Anna.\n",
}


@pytest.fixture(scope="module")
def compute(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Computed | None]]:
    with computing(indexed(tmp_path_factory.mktemp("notes"), NOTES), TODAY) as compute:
        yield compute


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many km did I swim in June?", "6.2 km"),
        ("How many km did I swim since June?", "7.2 km"),
        ("How many minutes did I swim in the pool?", "70 min"),
        ("How far did I run in May?", "30.5 km"),
        # Two rows are of one day; the diary has one day more.
        ("How often did I swim this year?", "6 times, on 5 days"),
        ("How often did I swim in the pool in June?", "2 times"),
        ("How many times did I go swimming in June?", "3 times, on 2 days"),
        ("How often did I go to the gym in May?", "3 times, on 2 days"),
        ("What was my heaviest squat at the gym?", "85 kg (date: 2026-05-08; exercise: squat)"),
        ("When did I last swim?", "3 August 2026"),
        ("When did I first swim in the lake?", "30 May 2026"),
        ("What was my longest swim?", "3.2 km (date: 2026-06-14; place: lake; min: 80)"),
        ("What was my shortest run?", "8.5 km (Date: 2026-05-08; Route: hill; Pace (min/km): 6:10)"),
        ("my fastest run", "5:25 min/km (Date: 2026-05-20; Route: river; Distance (km): 12)"),
        ("What is the most expensive invoice?", "1200 EUR (number: 17; date: 2026-01-10; customer: Weir)"),
        ("largest expense in February", "120.50 EUR (date: 2026-02-03; category: van; shop: Tyres)"),
        ("which hive was heaviest in June?", "35 kg (date: 2026-06-01; hive: 1)"),
        ("How long do I swim on average?", "43 min"),
        ("average weight of hive 2", "29 kg"),
        ("What is the average distance of my runs?", "10.17 km"),
        ("How much did I spend on the van?", "600.50 EUR"),
        ("How much did I spend in February?", "150.50 EUR"),
        ("What was my longest hike?", "1,250 km (date: 2026-05-02; height_m: 2,100)"),
        ("How many km did I hike?", "2100 km"),
        ("What was my longest marathon?", "42.195 km (date: 2026-05-01)"),
        ("What was the total of my invoices?", "1540.50 EUR"),
        ("Wie viele km bin ich im Juni geschwommen?", "6.2 km"),
        ("Wie oft bin ich dieses Jahr geschwommen?", "6 Mal, an 5 Tagen"),
        ("Wann bin ich zuletzt geschwommen?", "3. August 2026"),
        ("Was war mein längster Lauf?", "12 km (Date: 2026-05-20; Route: river; Pace (min/km): 5:25)"),
        ("Was ist die teuerste Rechnung?", "1200,50 EUR (Datum: 2026-01-10; Kunde: Weir)"),
        ("Wie viel machen meine Rechnungen insgesamt aus?", "1.280,75 €"),
        ("Wie viel habe ich für den Van ausgegeben?", "600,50 €"),
        ("Combien de km ai-je nagé en juin ?", "6.2 km"),
        ("Quelle a été ma plus longue course ?", "12 km (Date: 2026-05-20; Route: river; Pace (min/km): 5:25)"),
        ("Quelle est la distance moyenne de mes courses ?", "10.17 km"),
        ("Combien ai-je dépensé pour le van ?", "600,50 €"),
        ("Quand ai-je nagé pour la dernière fois ?", "3 août 2026"),
        ("¿Cuántos km nadé en junio?", "6.2 km"),
        ("¿Cuál fue mi carrera más larga?", "12 km (Date: 2026-05-20; Route: river; Pace (min/km): 5:25)"),
        ("¿Cuánto gasté en el van?", "600,50 €"),
        ("¿Cuándo nadé por última vez?", "3 de agosto de 2026"),
    ],
)
def test_one_answer(compute: Callable[[str], Computed | None], question: str, answer: str) -> None:
    found = compute(question)
    assert found is not None
    assert [part.text for part in found.parts] == [answer]


@pytest.mark.parametrize(
    "question",
    [
        "How far is it to Porto?",
        "How long do I have to swim?",
        "How far should I run?",
        "What was my longest swim in the sea?",
        "How many km did I swim in 2024?",
        "How many kg did hive 3 weigh?",
        "my average run",  # by distance or by pace
        "How many km did I ride in May?",  # one row has no number
        "What is the biggest lake?",
        "How much did I spend on rope?",
        "How much did I spend on average on rope?",
        "How much did I spend on average?",  # on each day, or each time
        "What was the average price of a hotel?",
        "How many km did Anna swim?",
        "How many km did I swim per week?",
        "How many km did I swim and run?",
        "What was my second longest swim?",
        "How much did I spend on everything but the van?",
        "Why was my longest swim so long?",
        "Who swam the longest?",
    ],
)
def test_what_tables_do_not_decide_is_left_to_the_search(
    compute: Callable[[str], Computed | None], question: str
) -> None:
    assert compute(question) is None


def test_the_note_names_the_table_and_the_column(compute: Callable[[str], Computed | None]) -> None:
    found = compute("How many km did I swim in June?")
    assert found is not None
    assert found.note == "The sum of the column km in 3 rows of swims 2026."
    assert len(found.parts[0].entries) == 3


@pytest.mark.parametrize(
    ("column", "measure", "unit"),
    [
        ("Strecke (km)", "distance", "km"),
        ("Pace (min/km)", "pace", "min"),
        ("km/h", "speed", "km"),
        ("amount_eur", "money", "EUR"),
        ("Betrag €", "money", "EUR"),
        ("Gewicht", "weight", ""),
        ("place", "", ""),
        ("km per hour", "", "km"),
    ],
)
def test_a_column_tells_what_it_measures(column: str, measure: str, unit: str) -> None:
    assert (measure_of(column), unit_of(column)) == (measure, unit)


@pytest.mark.parametrize(
    ("cell", "measure", "value"),
    [
        ("42.195", "distance", Decimal("42.195")),
        ("−5", "temperature", Decimal(-5)),
        ("2,5 km", "distance", Decimal("2.5")),
        ("1.200", "money", Decimal(1200)),
        ("5:25", "pace", Decimal(325)),
        ("12 laps", "distance", None),
        ("10-12", "distance", None),
        ("", "distance", None),
    ],
)
def test_a_cell_is_read_as_a_number(cell: str, measure: str, value: Decimal | None) -> None:
    assert value_of(cell, measure) == value
