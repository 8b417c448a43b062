"""LightRAG and GraphRAG: keys and values, levels, shares, and what a scope leaves of them."""

from __future__ import annotations

from datetime import date

import pytest

from noderag_local.domain.errors import LayerMissing
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Scope, Source
from noderag_local.papers.lightrag.lightrag import in_turn
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.packing_budget import Piece
from noderag_local.vault.vault import Vault

PLACE = Source(0, "/notes/a.md", 0, "A", (), 1, 1, 0, 1, "text")
QUESTION = "Who is the spouse of Big Eye's main director?"


def types_of(vault: Vault, method: str, budget_tokens: int = 2000) -> set[NodeType]:
    return {ranked.type for ranked in vault.search(QUESTION, method=method, budget_tokens=budget_tokens).ranked}


def test_what_the_question_names_comes_first(vault: Vault) -> None:
    for method in ("light-local", "graphrag-local"):
        found = vault.search(QUESTION, method=method, budget_tokens=2000)
        assert "big eye" in found.seeds[0][0].lower()
        assert any("Big Eye" in source.title for source in found.sources)


def test_one_level_leads_elsewhere_than_the_other_and_both_together_to_either(vault: Vault) -> None:
    local, theme, both = (
        {name for name, _ in vault.search(QUESTION, method=method, budget_tokens=2000).seeds}
        for method in ("light-local", "light-global", "light-hybrid")
    )
    assert local != theme
    assert both & local
    assert both & theme


def test_the_paper_brings_the_neighbours_of_what_it_finds(vault: Vault) -> None:
    plain, paper = (
        vault.search(QUESTION, method=method, budget_tokens=6000) for method in ("light-hybrid", "light-paper")
    )
    assert paper.seeds[: len(plain.seeds)] == plain.seeds
    assert {ranked.node for ranked in paper.ranked} - {ranked.node for ranked in plain.ranked}


def test_the_nearest_chunks_are_in_the_mix(vault: Vault) -> None:
    nearest = vault.search(QUESTION, method="naive", budget_tokens=400).sources[0]
    mixed = vault.search(QUESTION, method="light-mix", budget_tokens=2000).sources
    assert (nearest.path, nearest.record) in {(source.path, source.record) for source in mixed}


def test_before_the_model_has_read_sentences_stand_for_relationships(vault: Vault, enriched: Vault) -> None:
    for method in ("light-hybrid", "graphrag-local"):
        assert types_of(vault, method) == {NodeType.SENTENCE}
    assert NodeType.RELATIONSHIP in types_of(enriched, "light-hybrid")


def test_reports_are_there_when_the_model_has_written_some(vault: Vault, enriched: Vault) -> None:
    with pytest.raises(LayerMissing, match="noderag enrich"):
        vault.search(QUESTION, method="graphrag-global")
    assert types_of(enriched, "graphrag-global") == {NodeType.HIGH_LEVEL_ELEMENT}
    assert NodeType.HIGH_LEVEL_ELEMENT in types_of(enriched, "graphrag-local")


def test_a_scope_lets_no_summary_tell_of_what_is_outside(enriched: Vault) -> None:
    long_ago = Scope(until=date(1990, 1, 1))
    for method in ("graphrag-global", "graphrag-local", "light-mix"):
        assert enriched.search(QUESTION, method=method, scope=long_ago).context == ""


def test_each_kind_has_its_share_and_leaves_what_it_does_not_use() -> None:
    def pieces(first: int, count: int) -> list[tuple[float, tuple[Piece, ...]]]:
        return [
            (0.0, (Piece(first + at, NodeType.SENTENCE, first + at, 0, 10, f"{first + at}", PLACE),))
            for at in range(count)
        ]

    order = [piece.node for piece in in_shares([(0.5, pieces(0, 9)), (0.5, pieces(100, 2))], 60)]
    assert order == [0, 100, 1, 101, 2, *range(3, 9)]


def test_lists_in_turn_hold_each_item_once() -> None:
    assert in_turn([[1, 2, 3], [2, 4], []]) == [1, 2, 4, 3]
    assert in_turn([]) == []
