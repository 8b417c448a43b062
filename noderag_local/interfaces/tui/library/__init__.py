"""The library: the documents, adding and forgetting them, and the first run."""
