"""Encryption at rest: keys, conversion, and telling whether files belong together."""
