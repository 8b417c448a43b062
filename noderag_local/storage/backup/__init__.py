"""Backups, restoring, checks and repair."""
