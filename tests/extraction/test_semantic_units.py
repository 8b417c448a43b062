"""Decomposition of chunks: what the model's lines become in a real store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.linked_notes import edges, linked_notes
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.extraction.statements.numbered_text import NumberedText
from noderag_local.extraction.statements.semantic_units import MOST_SENTENCES_A_UNIT, Decomposition, unit_ranges
from noderag_local.extraction.statements.statement_lines import parse
from noderag_local.models.llm.engine import Role
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows

CURIE = (
    "# Marie Curie\n\nShe was born in Warsaw in 1867. It was a cold winter. "
    "Her husband Pierre shared the Nobel Prize in Physics with her.\n"
)
PIERRE = "# Pierre\n\nPierre taught Marie Curie much about magnets.\n"
LINES = "1 Marie Curie | born in | Warsaw\n2 Marie Curie | born | 1867\n3 Pierre | husband of | Marie Curie\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with linked_notes(tmp_path, {"curie.md": CURIE, "pierre.md": PIERRE}) as opened:
        yield opened


def chunk_of(store: Store, title: str) -> int:
    return int(
        store.value(
            "SELECT chunks.id FROM chunks JOIN documents ON documents.id = document_id WHERE title = ?", (title,)
        )
    )


def test_the_request_numbers_the_sentences_and_shares_its_instructions(store: Store) -> None:
    stage = Decomposition()
    curie = stage.request(store, chunk_of(store, "Marie Curie"))
    pierre = stage.request(store, chunk_of(store, "Pierre"))
    assert curie is not None and pierre is not None
    assert curie.messages[0] == pierre.messages[0]
    assert curie.messages[0].role is Role.SYSTEM
    assert "2. It was a cold winter." in curie.messages[1].content
    assert curie.constraint is not None and curie.constraint().allows(b"1 Warsaw")


def test_the_example_of_the_prompt_parses() -> None:
    stage = Decomposition()
    title, *sentences = stage.example.splitlines()[: stage.example.splitlines().index("Facts:")]
    text = NumberedText.of(title.removeprefix("Title: "), [sentence.split(". ", 1)[1] for sentence in sentences])
    lines = stage.example.split("Facts:\n")[1]
    parsed = parse(lines, NumberedText(text.title, (*text.sentences, *text.sentences)))
    assert (len(parsed.statements), parsed.rejected) == (len(lines.splitlines()), 0)


def test_statements_become_units_entities_and_relationships(store: Store) -> None:
    chunk = chunk_of(store, "Marie Curie")
    verdict = Decomposition().accept(store, chunk, LINES)
    assert (verdict.accepted, verdict.rejected, verdict.ok) == (3, 0, True)
    first = "She was born in Warsaw in 1867. It was a cold winter."
    assert {unit for _, unit in edges(store, EdgeType.INSERTED)} == {
        first,
        "Her husband Pierre shared the Nobel Prize in Physics with her.",
    }
    assert (first, "It was a cold winter.") in edges(store, EdgeType.PART)
    assert {(first, "Warsaw"), (first, "Marie Curie")} <= edges(store, EdgeType.NAMES)
    assert ("She was born in Warsaw in 1867.", "Marie Curie") in edges(store, EdgeType.RECOGNISED)
    assert ("marie curie | warsaw", "She was born in Warsaw in 1867.") in edges(store, EdgeType.STATED)
    assert {("marie curie | pierre", "Pierre"), ("marie curie | pierre", "Marie Curie")} <= edges(
        store, EdgeType.RELATES
    )


def test_an_entity_that_rules_found_is_the_same_and_keeps_its_name(store: Store) -> None:
    before = GraphRows(store).find(NodeType.ENTITY, ["warsaw"])
    Decomposition().accept(store, chunk_of(store, "Marie Curie"), "1 marie curie | born in | Warsaw\n")
    assert before and GraphRows(store).find(NodeType.ENTITY, ["warsaw"]) == before
    assert GraphRows(store).names(list(before.values())) == ["Warsaw"]


def test_two_chunks_about_the_same_pair_share_a_relationship(store: Store) -> None:
    stage = Decomposition()
    stage.accept(store, chunk_of(store, "Marie Curie"), LINES)
    stage.accept(store, chunk_of(store, "Pierre"), "1 Pierre | taught | Marie Curie\n")
    (node,) = GraphRows(store).find(NodeType.RELATIONSHIP, ["marie curie | pierre"]).values()
    said = {text for _, text in FragmentRows(store).of_node(node)}
    assert said == {"Pierre | husband of | Marie Curie", "Pierre | taught | Marie Curie"}


def test_accepting_again_replaces_and_order_does_not_matter(store: Store, tmp_path: Path) -> None:
    stage, curie, pierre = Decomposition(), chunk_of(store, "Marie Curie"), chunk_of(store, "Pierre")
    taught = "1 Pierre | taught | Marie Curie\n"
    stage.accept(store, curie, LINES)
    stage.accept(store, pierre, taught)
    once = digest(store)
    stage.accept(store, pierre, "1 Pierre | taught | magnets\n")
    assert digest(store) != once
    stage.accept(store, pierre, taught)
    stage.accept(store, curie, LINES)
    assert digest(store) == once


def test_dropping_leaves_the_instant_tier_as_it_was(store: Store) -> None:
    before = digest(store)
    stage = Decomposition()
    stage.accept(store, chunk_of(store, "Marie Curie"), LINES + "3 husband Pierre | shared | Nobel Prize in Physics\n")
    with store.transaction():
        stage.drop(store)
    assert digest(store) == before


def test_nothing_usable_is_tried_again_on_half_the_chunk(store: Store) -> None:
    stage, chunk = Decomposition(), chunk_of(store, "Marie Curie")
    verdict = stage.accept(store, chunk, "I cannot help with that.")
    assert (verdict.accepted, verdict.rejected, verdict.ok) == (0, 1, False)
    again = stage.retry(store, chunk)
    assert again is not None
    assert "1. " in again.messages[1].content and "3. " not in again.messages[1].content


def test_a_text_without_facts_is_no_failure(store: Store) -> None:
    assert Decomposition().accept(store, chunk_of(store, "Pierre"), "\n").ok


@given(st.sets(st.integers(0, 11)), st.integers(1, 12))
def test_units_are_whole_and_short(stated: set[int], sentences: int) -> None:
    stated = {at for at in stated if at < sentences}
    ranges = unit_ranges(stated, sentences)
    assert [at for part in ranges for at in part] == list(range(sentences))
    assert all(1 <= len(part) <= MOST_SENTENCES_A_UNIT for part in ranges)
    assert all(len(stated & set(part)) <= 1 for part in ranges)
