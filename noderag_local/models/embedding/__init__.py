"""Embedding models: sentence-transformers, llama.cpp or a server for passages; NumPy with the same weights for questions."""
