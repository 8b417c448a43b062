"""Browsing a vault: documents, entities, themes, dates, and how an answer was found."""
