"""HippoRAG (Gutiérrez et al. 2024): personalised PageRank over named entities."""
