"""Explore: lists and pages of documents, entities, themes and dates."""
