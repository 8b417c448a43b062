"""Statements that the language model finds in a chunk (G1 of NodeRAG)."""
