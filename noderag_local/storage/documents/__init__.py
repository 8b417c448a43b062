"""Rows of files, documents, chunks and sentences, and the full-text index."""
