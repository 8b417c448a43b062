"""Runs the stages of indexing and enriching in order, within a budget; they can be stopped at any time."""
