"""Rows of nodes, edges, names and the model's work."""
