"""The vault: one SQLite file, a lock for its one writer, and caches that can be made anew from it."""
