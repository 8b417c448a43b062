"""A vault as files: an archive, notes, a graph, a bundle, a conversation."""
