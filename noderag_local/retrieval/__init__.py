"""From a question to a context: the protocol of a method, the registry, and what methods share."""
