"""Stages and steps that build attributes, communities and high-level elements (G2 and G3 of NodeRAG)."""
