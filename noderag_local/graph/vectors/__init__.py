"""Embeddings of sentences and nodes, and the edges between near ones (G5 of NodeRAG)."""
