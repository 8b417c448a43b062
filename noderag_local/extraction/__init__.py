"""Finds entities, keywords and statements in sentences."""
