"""The default method: seeds, a walk through the graph, ranking."""
