"""One widget a file, its styles inside it."""
