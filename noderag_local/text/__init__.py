"""How sentences, words, names and numbers are told apart and compared; indexing and searching agree on all of it."""
