"""Queries for people who look through a vault: counts, lists and places."""
