"""The graph's algorithms, its vectors and edges, and the summaries that the language model builds on it."""
