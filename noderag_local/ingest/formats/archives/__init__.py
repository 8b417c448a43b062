"""Readers of archives, whose files become documents of their own."""
