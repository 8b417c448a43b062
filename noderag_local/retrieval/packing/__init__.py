"""Ranked evidence packed into a context that never exceeds its token budget."""
