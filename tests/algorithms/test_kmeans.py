from __future__ import annotations

import numpy as np

from noderag_local.graph.algorithms.kmeans import kmeans


def test_well_parted_clusters_are_found_and_found_again() -> None:
    random = np.random.default_rng(0)
    centres = np.eye(5, 8, dtype=np.float32) * 10
    vectors = (np.repeat(centres, 20, axis=0) + random.normal(size=(100, 8)) * 0.1).astype(np.float32)
    labels = kmeans(vectors, 5)
    assert [len(set(part.tolist())) for part in labels.reshape(5, 20)] == [1] * 5
    assert len(set(labels.tolist())) == 5
    assert kmeans(vectors, 5).tolist() == labels.tolist()
