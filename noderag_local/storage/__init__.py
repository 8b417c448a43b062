"""The vault on disk: one SQLite file that is the truth, and caches that can be made anew from it."""
