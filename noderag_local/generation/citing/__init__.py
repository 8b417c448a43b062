"""Checks which sources support each sentence of an answer, and marks them."""
