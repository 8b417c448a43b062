"""Finds names that mean the same entity, and merges them."""
