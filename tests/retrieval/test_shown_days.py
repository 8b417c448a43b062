"""A context tells which days "yesterday" and the like mean; its sources and its budget stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import musique

from noderag_local.config import load_settings
from noderag_local.vault.vault import Vault

NOTES = {
    "Lena and Omar.md": """# Lena and Omar, 8 May 2023, 13:56

Lena: Hey Omar! How was your trip?

Omar: Great! I went kayaking on the lake yesterday and it was freezing.

Lena: I adopted a kitten last week, her name is Pixel.

Omar: Congrats! We moved to the new flat last month, and the exam is in two weeks. See you next Friday!
""",
    "2023-05-09.md": "Today I repaired the pump. Yesterday, on 8 May, Clara called about the heron.\n",
    "chat.txt": "[11.05.23, 13:56] Anna: Gestern war ich beim Zahnarzt.\n[12.05.23, 09:10] Ben: Gestern hat es gehagelt.\n",
    "diario.md": "# 2 de junio de 2023\n\nAyer compré una bicicleta roja en el mercado.\n",
    "journal.md": "# Journal\n\n## 12 mai 2023\n\nHier, nous avons visité le musée des automates avec Claire.\n\n"
    "## 20 mai 2023\n\nAvant-hier, j'ai perdu mon parapluie bleu dans le train.\n",
    "дневник.md": "# 15 мая 2023\n\nВчера мы купили самовар на рынке.\n",
    "2023-05-15.md": "Clara sold the old organ yesterday!\n",
    "sails.md": "---\ndate: 2023-05-18\n---\n# Sails\n\nI mended the jib yesterday.\n",
    "undated.md": "# Boats\n\nI painted the dinghy yesterday.\n",
}
QUESTIONS = {
    "When did Omar go kayaking?": "on the lake yesterday and it was freezing (= 2023-05-07).",
    "Who adopted a kitten?": "a kitten last week, her name is Pixel (= 2023-05-01 to 2023-05-07).",
    "Who moved to a new flat?": "is in two weeks (last month = 2023-04, in two weeks ≈ 2023-05-22). See you next Friday!",
    "Who repaired the pump?": "Today I repaired the pump. Yesterday, on 8 May, Clara called",
    "Wann war Anna beim Zahnarzt?": "Anna: Gestern war ich beim Zahnarzt (= 2023-05-10).",
    "Wann hat es gehagelt?": "Ben: Gestern hat es gehagelt (= 2023-05-11).",
    "¿Cuándo compré la bicicleta?": "en el mercado (= 2023-06-01).",
    "musée des automates": "automates avec Claire (= 2023-05-11).",
    "parapluie bleu": "dans le train (= 2023-05-18).",
    "самовар": "самовар на рынке (= 2023-05-14).",
    "Who sold the organ?": "Clara sold the old organ yesterday (= 2023-05-14)!",
    "Who mended the jib?": "(2023-05-18 Sails) I mended the jib yesterday (= 2023-05-17).",
    "Who painted the dinghy?": "I painted the dinghy yesterday.",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    notes = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    made = Vault(tmp_path_factory.mktemp("vault"), load_settings())
    made.index([notes])
    return made


@pytest.mark.parametrize(("question", "shown"), QUESTIONS.items())
def test_the_day_stands_at_the_end_of_the_sentence(vault: Vault, question: str, shown: str) -> None:
    assert shown in vault.search(question, budget_tokens=1000).context


@pytest.mark.parametrize("method", musique.INSTANT_METHODS)
def test_no_method_goes_over_its_budget_or_changes_a_source(vault: Vault, method: str) -> None:
    shown = 0
    for question in QUESTIONS:
        for budget in (20, 60, 120, 400, 1000):
            found = vault.search(question, method=method, budget_tokens=budget)
            assert found.tokens <= budget
            shown += found.context.count("= 2023-")
            assert not any(sign in source.text for source in found.sources for sign in "=≈")
    assert shown


def test_a_source_knows_the_days_that_it_means(vault: Vault) -> None:
    found = vault.search("When did Omar go kayaking?", budget_tokens=1000)
    by_name = {Path(source.path).name: source for source in found.sources}
    chat = by_name["Lena and Omar.md"]
    assert [(chat.text[:end].split()[-1], days) for end, days in chat.days] == [
        ("yesterday", "2023-05-07"),
        ("week", "2023-05-01 to 2023-05-07"),
        ("month", "2023-04"),
        ("weeks", "2023-05-22"),
        ("Friday", "2023-05-12"),
    ]
    assert by_name["undated.md"].days == ()
