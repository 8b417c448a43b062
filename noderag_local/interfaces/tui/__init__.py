"""The terminal interface to a vault."""
