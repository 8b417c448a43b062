"""KET-RAG (Huang et al. 2025): a skeleton of core chunks and a graph of keywords."""
