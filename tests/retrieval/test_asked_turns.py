"""An answer in a conversation comes with the question that it answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from noderag_local.config import load_settings
from noderag_local.vault.vault import Vault

CHAT = """[12/05/2024 18:00] Mira: The tram was late again, as always.
[12/05/2024 18:01] Jonas: Same here. The bridge is closed for repairs until autumn.
[12/05/2024 18:02] Mira: And whom did you borrow that instrument from?
[12/05/2024 18:03] Jonas: Wow, good guess! From Leila, she keeps a second cello under her bed.
[12/05/2024 18:04] Mira: Lovely. Bring cake on Sunday.
"""
OTHERS = """# Cello

The cello of the orchestra was repaired in the workshop. The cello has four strings. Leila plays the viola on Tuesdays.
A second bed stands in the guest room. Leila keeps bees on the roof. The cello lesson is moved to Friday.
"""
QUESTION = "Where does Leila keep her second cello?"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    notes = tmp_path_factory.mktemp("notes")
    (notes / "chat.txt").write_text(CHAT, encoding="utf-8")
    (notes / "music.md").write_text(OTHERS, encoding="utf-8")
    with Vault(tmp_path_factory.mktemp("vault"), load_settings()) as made:
        made.index([notes])
        yield made


@pytest.mark.parametrize("budget", [60, 90])
def test_the_question_comes_with_its_answer(vault: Vault, budget: int) -> None:
    context = vault.search(QUESTION, budget_tokens=budget).context
    assert "borrow that instrument from?" in context and "under her bed" in context
    assert context.index("borrow that instrument") < context.index("under her bed")


def test_other_turns_before_an_answer_stay_away(vault: Vault) -> None:
    assert "bridge is closed" not in vault.search(QUESTION, budget_tokens=90).context
