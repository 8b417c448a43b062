"""Known communities when nodes come and go: who joins whom, and which communities are still the same."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from helpers.small_documents import unit_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.papers.archrag.community_growth import grown
from noderag_local.papers.archrag.community_level import GONE, MOST_MEMBERS, NEW, Level


def linked(nodes: int, *pairs: tuple[int, int]) -> sp.csr_matrix:
    ends = np.array(pairs).reshape(-1, 2)
    both = np.concatenate([ends, ends[:, ::-1]])
    return sp.csr_matrix((np.ones(len(both), np.float32), (both[:, 0], both[:, 1])), shape=(nodes, nodes))


def clique(*nodes: int) -> list[tuple[int, int]]:
    return [(a, b) for a in nodes for b in nodes if a < b]


def alike(nodes: int) -> np.ndarray:
    """Vectors that make all links weigh the same."""
    return np.repeat(unit_rows(1, 6, 0), nodes, axis=0)


def rows(*communities: tuple[int, ...]) -> list[np.ndarray]:
    return [np.array(one) for one in communities]


def said(level: Level) -> dict[frozenset[int], int]:
    return {
        frozenset(held.tolist()): int(row) for held, row in zip(level.members, level.continues.tolist(), strict=True)
    }


def test_without_a_change_all_stay_as_they_are() -> None:
    network = linked(7, *clique(0, 1, 2), *clique(3, 4, 5, 6), (2, 3))
    assert said(grown(network, alike(7), rows((3, 4, 5, 6), (0, 1, 2)))) == {
        frozenset({0, 1, 2}): 1,
        frozenset({3, 4, 5, 6}): 0,
    }


def test_a_newcomer_joins_those_it_is_linked_with_most() -> None:
    network = linked(8, *clique(0, 1, 2), *clique(3, 4, 5, 6), (7, 2), (7, 3), (7, 4))
    assert said(grown(network, alike(8), rows((0, 1, 2), (3, 4, 5, 6)))) == {
        frozenset({0, 1, 2}): 0,
        frozenset({3, 4, 5, 6, 7}): 1,
    }


def test_newcomers_that_are_linked_among_themselves_found_a_community() -> None:
    network = linked(7, *clique(0, 1, 2), *clique(3, 4, 5), (2, 3), (6, 3))
    assert said(grown(network, alike(7), rows((0, 1, 2)))) == {frozenset({0, 1, 2}): 0, frozenset({3, 4, 5, 6}): NEW}


def test_a_group_that_leans_on_one_community_joins_it() -> None:
    network = linked(5, *clique(0, 1, 2), (3, 4), (3, 0), (3, 1), (4, 2))
    assert said(grown(network, alike(5), rows((0, 1, 2)))) == {frozenset(range(5)): 0}


def test_a_community_that_loses_a_member_is_another_one() -> None:
    network = linked(6, *clique(0, 1, 2), *clique(3, 4))
    assert said(grown(network, alike(6), rows((0, 1, 2, GONE), (3, 4, 5)))) == {
        frozenset({0, 1, 2}): NEW,
        frozenset({3, 4}): NEW,
    }


def test_whoever_is_left_alone_joins_others_or_none() -> None:
    network = linked(4, *clique(0, 1, 2))
    assert said(grown(network, alike(4), rows((0, 1), (2, GONE), (3, GONE)))) == {frozenset({0, 1, 2}): 0}


def test_what_outgrows_the_size_of_a_community_is_divided() -> None:
    nodes = MOST_MEMBERS + 6
    network = linked(nodes, *clique(*range(MOST_MEMBERS)), *((row, 0) for row in range(MOST_MEMBERS, nodes)))
    level = grown(network, alike(nodes), rows(tuple(range(MOST_MEMBERS))))
    assert sum(map(len, level.members)) == nodes
    assert len(level.members) > 1
    assert (level.continues == NEW).all()


def test_what_was_larger_from_the_start_is_not() -> None:
    network = linked(20, *clique(*range(20)))
    assert said(grown(network, alike(20), rows(tuple(range(20))))) == {frozenset(range(20)): 0}


@st.composite
def known_networks(draw: st.DrawFn) -> tuple[sp.csr_matrix, np.ndarray, list[np.ndarray]]:
    nodes = draw(st.integers(2, 40))
    pairs = draw(st.sets(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), min_size=1, max_size=90))
    of_node = draw(st.lists(st.integers(-1, 6), min_size=nodes, max_size=nodes))
    known = [np.flatnonzero(np.array(of_node) == one) for one in range(7)]
    network = linked(nodes, *{(a, b) for a, b in pairs if a < b})
    return network, unit_rows(nodes, 6, draw(st.integers(0, 99))), [held for held in known if len(held)]


@settings(max_examples=40, deadline=None)
@given(known_networks())
def test_no_node_is_in_two_and_whoever_continues_has_all_its_members(
    network: tuple[sp.csr_matrix, np.ndarray, list[np.ndarray]],
) -> None:
    level = grown(*network)
    held = np.concatenate([np.zeros(0, np.int64), *level.members])
    assert len(np.unique(held)) == len(held)
    assert all(len(members) > 1 and (np.diff(members) > 0).all() for members in level.members)
    assert set(held.tolist()) <= set(np.flatnonzero(np.diff(network[0].indptr) > 0).tolist())
    for members, row in zip(level.members, level.continues.tolist(), strict=True):
        assert row == NEW or set(network[2][row].tolist()) <= set(members.tolist())
