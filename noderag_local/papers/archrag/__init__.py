"""ArchRAG (Wang et al. 2025): attributed communities in levels, searched from the top."""
