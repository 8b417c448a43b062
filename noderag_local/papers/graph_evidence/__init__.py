"""Evidence that several methods share: entities and relationships with keys to search by, and nodes as pieces of a context."""
