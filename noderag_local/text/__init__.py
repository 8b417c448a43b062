"""Rules that find and compare sentences, words, names and numbers; indexing and searching use the same ones."""
