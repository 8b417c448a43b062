"""The readers of all formats, a module each, grouped by kind."""
