"""Explore: pages of documents, entities, themes and dates to walk through."""
