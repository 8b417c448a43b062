"""Office documents and tables."""
