"""A benchmark of how well a language model reads short notes, and how quickly."""
