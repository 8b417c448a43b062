"""NodeRAG (Xu et al. 2025) with the settings of its paper."""
