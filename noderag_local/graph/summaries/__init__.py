"""Attributes, communities and high-level elements (G2 and G3 of NodeRAG), as stages of the model's work."""
