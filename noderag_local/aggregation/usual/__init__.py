"""Puts a question into usual words by its meaning: it is compared with known ways to ask, as vectors."""
