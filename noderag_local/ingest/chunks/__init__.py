"""Text to sentences with their places in the file, and sentences to chunks."""
