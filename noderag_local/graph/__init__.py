"""Pure functions over arrays: matrices of the graph, personalised PageRank."""
