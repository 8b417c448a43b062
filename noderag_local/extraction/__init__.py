"""From sentences to entities, keywords and statements."""
