"""Looking around in a vault: documents, entities, themes, dates, and how an answer came about."""
