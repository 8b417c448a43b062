"""The published systems, a folder each with all that only it needs."""
