"""G2 and G3 of NodeRAG: attributes of important entities, communities, high-level elements and their overviews."""
