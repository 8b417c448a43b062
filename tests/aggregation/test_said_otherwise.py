"""Only what is asked counts, and no morning, phone call, tip or title of minutes that shares its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed

TODAY = date(2026, 6, 20)

NOTES = {
    "diario/2026-03-02.md": "pilates a la mañana, clase dura\nBirras con Eugenia en el centro\n",
    "diario/2026-03-09.md": "Fui a pilates.\n\nMañana pilates otra vez.\n",
    "diario/2026-03-11.md": "Hablé por teléfono con Eugenia, dos horas.\n",
    "diario/2026-03-14.md": "Eugenia cayó a cenar, pedimos empanadas.\n",
    "diario/2026-04-20.md": "Nos juntamos con Eugenia en la plaza.\n",
    "cahier/2026-03-03.md": "Je me suis rendu à la piscine de bonne heure ; il n'y avait presque personne.\n",
    "cahier/2026-03-10.md": "Je ne suis pas allé à la piscine.\n",
    "comités/2026-01-10 Phare.md": "# Phare : réunion du samedi 10 janvier 2026\n\n- Lieu du banquet : salle A.\n",
    "comités/2026-02-10 Phare.md": "# Phare : réunion du mardi 10 février 2026\n\n- Lieu du banquet : à l'aréna et non à la salle A.\n",
    "Tagebuch/2026-01-05.md": "- Signal von Thorge: „Kalter Sund“ muss ich lesen\n- Ole abds. zu Besuch, Pizza\n",
    "Tagebuch/2026-02-01.md": "- „Roter Priel“ ausgelesen\n",
    "Tagebuch/2026-05-01.md": "- „Kalter Sund“ ausgelesen, am Deich\n",
    "Buecher/Kalter Sund.md": "# Kalter Sund\n",
    "Buecher/Roter Priel.md": "# Roter Priel\n",
    "Leute/Piotr Mohr.md": "# Piotr Mohr\n\n- kenne ich von: Arbeit\n- Firma: Buchenblatt\n",
    "Leute/Ole Dierks.md": "# Ole Dierks\n\n- Ort: Kiel\n",
    "Adressen/Bosshard Corinne.md": "Corinne Bosshard\n\nWohnt in Glarus.\n",
    "Adressen/Kuster Rahel.md": "Rahel Kuster\n\nWohnt in Chur.\n",
    "Adressen/Zgraggen Claudia.md": "Claudia Zgraggen\n\nWohnt in Chur.\n",
    "Adressen/Hofstetter Ueli.md": "Ueli Hofstetter\n\nWohnt in Baar.\n",
    "Tagebuch/2026-02-03.md": "Kaffee mit Corinne in der Altstadt.\n",
    "agenda/Eugenia Yapura.md": "ciudad: Tandil\n",
    "agenda/Rosa Mensah.md": "ciudad: Lugo\n",
    "agenda/Damián Núñez.md": "ciudad: Lugo\n",
    "agenda/Noemí Villagra.md": "ciudad: Quilmes\n",
}


@pytest.fixture(scope="module")
def compute(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Computed | None]]:
    with computing(indexed(tmp_path_factory.mktemp("otherwise"), NOTES), TODAY) as compute:
        yield compute


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("¿Cuántas veces fui a pilates en marzo de 2026?", "2 veces"),
        ("¿Cuántas veces vi a Eugenia Yapura en marzo de 2026?", "2 veces"),
        ("¿Cuándo vi a Eugenia Yapura por última vez?", "20 de abril de 2026"),
        ("¿Cuándo vi a Eugenia Yapura por última vez en marzo de 2026?", "14 de marzo de 2026"),
        ("Combien de fois suis-je allé à la piscine en mars 2026 ?", "1 fois"),
        ("Où se tient maintenant le banquet Phare ?", "Lieu du banquet : à l'aréna"),
        ("Wie oft habe ich Ole im Januar 2026 getroffen?", "1 Mal"),
        ("Wie oft habe ich Corinne Bosshard im Februar 2026 getroffen?", "1 Mal"),
        ("Welches Buch hatte ich eher durch, „Kalter Sund“ oder „Roter Priel“?", "Roter Priel"),
    ],
)
def test_only_what_is_asked_counts(compute: Callable[[str], Computed | None], question: str, answer: str) -> None:
    found = compute(question)
    assert found is not None
    assert [part.text for part in found.parts] == [answer]


def test_how_one_knows_somebody_is_no_place_of_work(compute: Callable[[str], Computed | None]) -> None:
    found = compute("Wo arbeitet Piotr Mohr?")
    assert found is None or "kenne" not in " ".join(part.text for part in found.parts)


def test_a_number_that_a_day_has_too_is_still_the_state(tmp_path: Path) -> None:
    notes = {
        "2026-01-10 Weir.md": "# Weir\n\n- Room: 7, 8-9 January 2026.\n",
        "2026-02-10 Weir.md": "# Weir\n\n- Room: 3, 3-5 July 2026.\n",
    }
    with computing(indexed(tmp_path, notes), TODAY) as compute:
        found = compute("In which room is Weir presently?")
    assert found is not None
    assert [part.text for part in found.parts] == ["Room: 3, 3-5 July 2026"]
