"""What a search reads of merged names, as arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames, NameRows
from noderag_local.storage.snapshots.snapshot import Edges


def edges_of(*rows: tuple[int, int, float]) -> Edges:
    """Edges of (source, target, weight)."""
    sources, targets, weights = zip(*rows, strict=True)
    return np.array(sources), np.array(targets), np.array(weights, np.float32)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Four entities, 1 to 4, of which the first stands for the second and the third."""
    opened = Store.open(tmp_path, write=True)
    with opened.transaction():
        GraphRows(opened).put_nodes(NodeType.ENTITY, [(key, key) for key in "abcd"])
        NameRows(opened).put_merged({2: 1, 3: 1})
    return opened


def test_all_names_of_one_are_found_from_any_of_them(store: Store) -> None:
    names = MergedNames(store)
    assert [names.stands_for(node) for node in (1, 2, 3, 4)] == [1, 1, 1, 4]
    assert [names.all_of(node) for node in (1, 3, 4)] == [[1, 2, 3], [1, 2, 3], [4]]


def test_a_pair_of_ends_comes_once_with_its_heaviest_weight_and_never_leads_to_itself(store: Store) -> None:
    joined = MergedNames(store).edges(
        {
            EdgeType.MENTION: edges_of((7, 1, 1.0), (7, 2, 2.0), (7, 4, 1.0), (8, 3, 1.0)),
            EdgeType.ALIAS: edges_of((1, 2, 1.0), (3, 4, 1.0)),
            EdgeType.KEYWORD: edges_of((7, 2, 1.0)),
        }
    )
    told = {kind: list(zip(*(column.tolist() for column in columns), strict=True)) for kind, columns in joined.items()}
    assert told[EdgeType.MENTION] == [(7, 1, 2.0), (7, 4, 1.0), (8, 1, 1.0)]
    assert told[EdgeType.ALIAS] == [(1, 4, 1.0)]
    assert told[EdgeType.KEYWORD] == [(7, 2, 1.0)], "these lead to no entities"


def test_what_has_no_direction_comes_once_whichever_way_it_ran(store: Store) -> None:
    with store.transaction():
        NameRows(store).put_merged({2: 4})
    joined = MergedNames(store).edges({EdgeType.ALIAS: edges_of((2, 3, 1.0), (3, 4, 1.0))})
    assert [column.tolist() for column in joined[EdgeType.ALIAS]] == [[3], [4], [1.0]]


def test_what_goes_takes_its_merges_with_it(store: Store) -> None:
    rows = NameRows(store)
    with store.transaction():
        rows.put_blocks([(1, 10), (2, 10), (4, 11)])
        rows.put_pairs([10], [(10, 1, 2, "accents")])
        rows.decide(1, 4, False)
        GraphRows(store).remove_nodes([1])
        assert rows.take_gone() == {10}
    assert (rows.by_rule(), rows.decided()) == ([], ([], []))
    assert MergedNames(store).stands_for(2) == 2
