"""LightRAG (Guo et al. 2024): entities and relationships found by keywords of two levels."""
