"""The SQLite file itself: opening, locking, schema, migrations and plain errors."""
