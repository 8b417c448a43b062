"""Answers questions about tables of the notes with queries that the language model writes and SQLite runs."""
