"""Embeddings: passages in bulk by sentence-transformers, questions by the same weights in NumPy."""
