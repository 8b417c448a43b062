"""The vault on disk: one SQLite file with all data, and caches that can be made again from it."""
