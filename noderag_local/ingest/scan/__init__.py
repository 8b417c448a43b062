"""Finds the files to read, and tells when they change."""
