"""Community quality against scikit-learn's, and by cases that can be seen."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import calinski_harabasz_score
from storage.notes import unit_rows

from noderag_local.papers.archrag.attributed_communities import quality


def split(labels: np.ndarray) -> list[np.ndarray]:
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


@pytest.mark.parametrize("seed", range(5))
def test_the_index_is_that_of_scikit_learn(seed: int) -> None:
    vectors = unit_rows(50, 6, seed)
    labels = np.random.default_rng(seed).integers(0, 7, 50)
    assert quality(split(labels), vectors).calinski_harabasz == pytest.approx(
        calinski_harabasz_score(vectors, labels), rel=1e-5
    )


def test_the_cosine_is_one_where_all_of_a_community_are_one_and_lower_where_they_differ() -> None:
    vectors = np.repeat(unit_rows(2, 6, 1), 3, axis=0)
    assert quality([np.arange(3), np.arange(3, 6)], vectors).cosine == pytest.approx(1)
    assert quality([np.array([0, 1, 3]), np.array([2, 4, 5])], vectors).cosine < 0.99


def test_nodes_in_no_community_do_not_count() -> None:
    vectors = unit_rows(8, 6, 2)
    communities = [np.array([0, 1, 2]), np.array([3, 4, 5])]
    assert quality(communities, vectors) == quality(communities, np.concatenate([vectors[:6], -vectors[6:]]))


@pytest.mark.parametrize("communities", [[np.arange(4)], [np.array([row]) for row in range(4)]])
def test_too_few_or_too_many_communities_have_no_quality(communities: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="no spread"):
        quality(communities, unit_rows(4, 6, 3))
