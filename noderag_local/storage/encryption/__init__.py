"""Encryption at rest: keys, conversion, and checks that no file was replaced."""
