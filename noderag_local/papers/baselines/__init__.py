"""Methods to compare with: full text, plain vectors, HyDE and no retrieval."""
