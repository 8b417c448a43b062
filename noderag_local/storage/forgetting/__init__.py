"""What was forgotten, and which traces of it are still to be cleared."""
