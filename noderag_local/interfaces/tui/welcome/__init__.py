"""The first run: which folder to read, and whether to fetch a language model."""
