"""Which files there are to read, and when they change."""
