"""GraphRAG (Edge et al. 2024), as far as it goes without a model call for each question."""
