"""Vectors as rows, and the indexes over them."""
