"""G5 of NodeRAG: embeddings and semantic edges."""
