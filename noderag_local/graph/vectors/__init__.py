"""Embeddings of sentences and nodes, and the edges between nodes with near vectors (G5 of NodeRAG)."""
