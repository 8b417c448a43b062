"""Which chunks come first."""

from __future__ import annotations

from pathlib import Path

from helpers.linked_notes import linked_notes

from noderag_local.extraction.statements.semantic_units import central_first
from noderag_local.storage.documents.texts import TextRows

NOTES = {
    "bridge.md": "# Bridge\n\nThe ferry, the lighthouse, the quarry and the orchard are by the bridge.\n",
    "ferry.md": "# Ferry\n\nA ferry crosses at noon.\n",
    "lighthouse.md": "# Lighthouse\n\nA lighthouse was painted white.\n",
    "quarry.md": "# Quarry\n\nA quarry was closed.\n",
    "orchard.md": "# Orchard\n\nAn orchard bears plums.\n",
    "stamps.md": "# Stamps\n\nHe collects stamps.\n",
}


def test_every_chunk_has_its_turn_and_the_one_that_all_others_share_words_with_is_first(tmp_path: Path) -> None:
    with linked_notes(tmp_path, NOTES) as store:
        order = central_first(store)
        assert sorted(order) == TextRows(store).chunk_table().ids.tolist()
        assert TextRows(store).chunk_text(order[0]).title == "Bridge"


def test_a_vault_without_texts_has_an_empty_order(tmp_path: Path) -> None:
    with linked_notes(tmp_path, {}) as store:
        assert central_first(store) == []
