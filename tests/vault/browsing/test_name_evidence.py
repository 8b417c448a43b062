"""What comes first among the names of a vault."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.vault.browsing.name_evidence import is_like_name
from noderag_local.vault.vault import Vault


@pytest.mark.parametrize(
    "name", ["Marta Oliveira", "GM", "Blue Note", "東京", "Søren", "Isla (sis) + Fergus", "Apollo 11"]
)
def test_names_of_people_and_places_are_like_names(name: str) -> None:
    assert is_like_name(name)


@pytest.mark.parametrize(
    "name", ["2026", "150 g", "friends", "Walked", "Ingredients", "Booked", "Sat", "July 2026", "Winter", ""]
)
def test_words_tags_and_dates_are_not(name: str) -> None:
    assert not is_like_name(name)


def test_people_come_before_columns_and_years_and_a_name_in_few_rows_counts(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    rows = [f"2026-01-{day:02},{'Ann Lee' if day < 4 else 'Bob Moore'},{day}.00" for day in range(1, 21)]
    (notes / "loans.csv").write_text("Datum,Wem,Betrag\n" + "\n".join(rows) + "\n", "utf-8")
    (notes / "a.md").write_text("# Trip\n\nIn 2026 I met Ann Lee. It was 2026 already.\n", "utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "none")) as vault:
        vault.index([notes])
        names = vault.atlas.entities().names
    assert names[0] == "Ann Lee"
    later = names[names.index("Ann Lee") :]
    assert all(later.index("Bob Moore") < later.index(name) for name in ("2026", "Betrag", "Datum") if name in later)
