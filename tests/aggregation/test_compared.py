"""Which notes of a kind have a property below or above a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.properties import amount_of

NOTES = {
    "Recipes/Borscht.md": "# Borscht\n\nTime: 1 h 10\n\n- 2 leeks\n",
    "Recipes/Dal.md": "---\ntags: [recipe, vegan]\n---\n# Dal\n\n**Time:** 35 min\n\n- red lentils\n",
    "Recipes/Leek pie.md": "# Leek pie\n\n- Prep time: 10 min\n- Total time: 40 minutes\n- 4 leeks\n",
    "Recipes/Bread.md": "# Bread\n\ntime:: 3 hours\n",
    "Recipes/Cake.md": "# Cake\n\nPrep time: 10 min\n",
    "Recipes/Soup.md": "# Soup\n\nA good soup: simmer it for 20 min.\n",
    "Recipes/Quiche.md": "# Quiche\n\nZubereitung: 45 Minuten\n",
    "Recipes/Ratatouille.md": "# Ratatouille\n\nTemps : 50 min\n",
    "Books/Kiln.md": "# Kiln\n\nPages: 320\nRating: 4.5/5\n",
    "Books/Weir.md": "# Weir\n\n- Pages: 210\n- Rating: 4/5\n",
    "Books/Salt.md": "# Salt\n\n- Length: 512 pages\n- Rating: ★★★★★\n",
    "Books/Mud.md": "# Mud\n\nNot opened.\n",
    "Films/Reeds.md": "# Reeds\n\nRating: 4/5\n",
    "Films/Locks.md": "# Locks\n\nRating: 7/10\n",
}


@pytest.fixture(scope="module")
def compute(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Computed | None]]:
    with computing(indexed(tmp_path_factory.mktemp("notes"), NOTES), date(2026, 11, 20)) as compute:
        yield compute


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which recipes take under 45 minutes?", ["Dal: 35 min", "Leek pie: 40 minutes"]),
        ("Which recipes take no more than 45 minutes?", ["Dal: 35 min", "Leek pie: 40 minutes", "Quiche: 45 Minuten"]),
        ("Which recipes take longer than an hour?", ["Borscht: 1 h 10", "Bread: 3 hours"]),
        ("Welche Rezepte dauern mehr als eine Stunde?", ["Borscht: 1 h 10", "Bread: 3 hours"]),
        ("Quelles recettes prennent plus d'une heure ?", ["Borscht: 1 h 10", "Bread: 3 hours"]),
        ("¿Qué recetas tardan más de una hora?", ["Borscht: 1 h 10", "Bread: 3 hours"]),
        ("Which recipes with leeks take more than 1 hour?", ["Borscht: 1 h 10"]),
        ("Which of my recipes are ready in under 20 minutes?", ["none"]),
        ("How many recipes take under 45 minutes?", ["2"]),
        ("which books are longer than 300 pages", ["Kiln: 320", "Salt: 512 pages"]),
        ("Which books are rated above 4?", ["Kiln: 4.5/5", "Salt: ★★★★★"]),
        ("Which books have a rating of at least 4.5?", ["Kiln: 4.5/5", "Salt: ★★★★★"]),
        ("Welche Rezepte dauern unter 45 Minuten?", ["Dal: 35 min", "Leek pie: 40 minutes"]),
        ("Welche Bücher haben mehr als 300 Seiten?", ["Kiln: 320", "Salt: 512 pages"]),
        ("Welche Bücher sind mit mindestens 4,5 bewertet?", ["Kiln: 4.5/5", "Salt: ★★★★★"]),
        ("Quelles recettes prennent moins de 45 minutes ?", ["Dal: 35 min", "Leek pie: 40 minutes"]),
        ("Quels livres ont plus de 300 pages ?", ["Kiln: 320", "Salt: 512 pages"]),
        ("¿Qué recetas tardan menos de 45 minutos?", ["Dal: 35 min", "Leek pie: 40 minutes"]),
        ("¿Qué libros tienen más de 300 páginas?", ["Kiln: 320", "Salt: 512 pages"]),
    ],
)
def test_notes_are_compared(compute: Callable[[str], Computed | None], question: str, answers: list[str]) -> None:
    found = compute(question)
    assert found is not None
    assert [part.text for part in found.parts] == answers


@pytest.mark.parametrize(
    "question",
    [
        "Which books did I read in under 3 days?",
        "Which recipes have more than 5 ingredients?",
        "Which recipes use less than 200 g butter?",
        "Which books cost over 300 dollars?",
        "Which films are rated above 4?",  # of 5, and of 10
        "Which recipes take not under 45 minutes?",
        "Which recipes with saffron take under 45 minutes?",
        "Which soups take under 45 minutes?",
    ],
)
def test_what_notes_do_not_decide_is_left_to_the_search(
    compute: Callable[[str], Computed | None], question: str
) -> None:
    assert compute(question) is None


def test_the_note_says_how_many_were_left_out(compute: Callable[[str], Computed | None]) -> None:
    found = compute("which books are longer than 300 pages")
    assert found is not None
    assert found.note.endswith("Left out: 1 note without one.")


@pytest.mark.parametrize(
    ("text", "measure", "amount"),
    [
        ("1 h 10", "duration", (Decimal(70), "min")),
        ("1h10 min", "duration", (Decimal(70), "min")),
        ("1.5 hours", "duration", (Decimal(90), "min")),
        ("35", "duration", None),
        ("18:30", "duration", None),
        ("45–60 min", "duration", None),
        ("4,5/5", "rating", (Decimal("4.5"), "5")),
        ("8 of 10", "rating", (Decimal(8), "10")),
        ("★★★½", "rating", (Decimal("3.5"), "5")),
        ("good", "rating", None),
        ("320", "pages", (Decimal(320), "pages")),
        ("12,50 €", "money", (Decimal("12.50"), "EUR")),
    ],
)
def test_a_value_is_read(text: str, measure: str, amount: tuple[Decimal, str] | None) -> None:
    assert amount_of(text, measure) == amount
