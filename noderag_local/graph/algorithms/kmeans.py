"""Clusters vectors by k-means (MacQueen 1967), the same on every run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def kmeans(vectors: NDArray[np.float32], clusters: int, seed: int = 0) -> NDArray[np.int64]:
    """Returns the cluster of each vector, (n,), numbered from 0.

    One thread, since sums over several come out in another order each time. The same order of the rows gives the same
    clusters; it should therefore follow from the nodes' keys.

    Args:
        vectors: (n, dim).
        clusters: K, from 1 to n.
        seed: of the first centres (k-means++).
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        found = KMeans(n_clusters=clusters, n_init=1, max_iter=100, random_state=seed).fit_predict(vectors)
    return np.asarray(found, dtype=np.int64)
