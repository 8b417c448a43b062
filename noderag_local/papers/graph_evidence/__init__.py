"""Evidence that several methods share: entities and relationships with search keys, and nodes as pieces of a context."""
