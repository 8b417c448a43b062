"""Search: documents, names and passages as a person types, with a preview beside them."""
