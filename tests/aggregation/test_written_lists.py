"""Lists and labelled lines as people keep them: payments, the members of a team, a place that has changed, and dates with slashes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed

TODAY = date(2026, 11, 20)

NOTES = {
    "Money/March.md": "# Payments in March 2026\n\n- 1/3: rent, 640.00 €\n- 2/3: drill (Ferro Santos), 63.00 €\n- 9/3: power, 73.80 €\n",
    "Money/April.md": "# Payments in April 2026\n\n- 2/4: hinges (Ferro Santos), 10.50 €\n- 3/4: power, 71.20 €\n- Total: 81.70 €\n",
    "Gastos/mayo.md": "# Gastos de mayo de 2026\n\n* 4/5: Mochila (Deportes Arga), 130,00 €\n* 9/5: Toalla (Deportes Arga), 12,50 €\n",
    "Budget/planned.md": "# Planned\n\n- maybe a saw (Ferro Santos), 200.00 €\n",
    "Money/May.md": "# Payments in May 2026\n\n- 2/5: lamp (Soto), 63.00 €\n- 4/5: refund, lamp (Soto), -63.00 €\n- 7/5: nails (Soto), 5.00 €\n",
    "Cash/May.md": "# Cash in May 2026\n\n- 2/5: soap (Pharma) 8.00 €\n- 4/5: refund soap (Pharma) -8.00 €\n",
    "Till/May.md": "# Till in May 2026\n\n- 2/5: bread (Maler) -3.00 €\n- 4/5: rolls (Maler) -2.00 €\n",
    "Projects/Dyke.md": "# Project Dyke\n\nTeam (besides me):\n\n- [[Ilse Hagen]]\n- [[Bruno Pohl]]\n\nBegan in May.\n",
    "Actas/Noria 1.md": "# Noria, acta del lun 2/3/2026\n\n1. Lugar de la fiesta: patio del colegio.\n2. Fecha límite: 3/9/2026.\n",
    "Actas/Noria 2.md": "# Noria, acta del mar 7/4/2026\n\n1. Lugar de la fiesta: lonja vieja, ya no en el patio del colegio.\n"
    "2. El plazo se alarga hasta el 2/11/2026.\n",
    "Journal/a.md": "# Sam. 04/04/2026\n\nLes martinets sont dans la cour.\n",
    "Journal/b.md": "# Dim. 05/04/2026\n\nCouru 4 km le long du canal.\n",
    "Diario/a.md": "# Jue 2/4/2026\n\nDe viaje todo el día; llegada a Lugo sobre las 8.\n",
    "Leute/Ada Moll.md": "# Ada Moll\n\nWohnort: Graz\nAllergie: Nüsse\nSchwester: [[Ilse Hagen]]\n",
    "Leute/Ilse Hagen.md": "# Ilse Hagen\n\nWohnort: Wien\nAllergie: Katzen\n",
    "Bücher/Der stille Motor.md": "# Der stille Motor\n\nGute Karten.\n",
    "Tagebuch/c.md": "# 3. Mai 2026\n\nDen „Stillen Motor“ an Ada Moll verliehen.\n",
}


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Computed | None]]:
    with computing(indexed(tmp_path_factory.mktemp("lists"), NOTES), TODAY) as answer:
        yield answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much did I pay for the drill?", "63.00 EUR"),
        ("How much did I spend at Ferro Santos in total?", "73.50 EUR"),
        ("How much did I spend at Soto in total?", "5.00 EUR"),
        ("How much did I spend at Maler in total?", "5.00 EUR"),
        ("How much did I spend on power in total?", "145.00 EUR"),
        ("¿Cuánto costó la mochila?", "130,00 €"),
        ("¿Cuánto he gastado en total en Deportes Arga?", "142,50 €"),
        ("¿Dónde es ahora la fiesta de Noria?", "Lugar de la fiesta: lonja vieja"),
        ("¿Cuál es ahora la fecha límite de Noria?", "El plazo se alarga hasta el 2/11/2026"),
        ("Combien de fois ai-je couru en avril 2026 ?", "1 fois"),
        ("¿Cuándo llegué a Lugo?", "2 de abril de 2026"),
        ("Wo wohnt Ada Moll?", "Ada Moll: Wohnort: Graz"),
        ("Wogegen ist Ada Moll allergisch?", "Ada Moll: Allergie: Nüsse"),
    ],
)
def test_one_answer(computed: Callable[[str], Computed | None], question: str, answer: str) -> None:
    found = computed(question)
    assert found is not None and [part.text for part in found.parts] == [answer]


def test_the_members_may_stand_below_their_label(computed: Callable[[str], Computed | None]) -> None:
    found = computed("Who works on project Dyke?")
    assert found is not None and [part.text for part in found.parts] == ["Ilse Hagen", "Bruno Pohl"]


def test_a_german_title_is_known_in_every_case(computed: Callable[[str], Computed | None]) -> None:
    found = computed("Wem habe ich den Stillen Motor geliehen?")
    assert found is not None and found.parts[0].text.startswith("Ada Moll")


def test_a_minus_that_may_be_a_dash_is_not_added(computed: Callable[[str], Computed | None]) -> None:
    assert computed("How much did I spend at Pharma in total?") is None


def test_several_prices_are_no_price(computed: Callable[[str], Computed | None]) -> None:
    assert computed("What did power cost?") is None
