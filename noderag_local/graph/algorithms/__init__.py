"""Pure functions over arrays: PageRank, Leiden, k-means, nearest rows."""
