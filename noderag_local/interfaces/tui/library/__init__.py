"""The library: documents, adding folders, forgetting, the first run."""
