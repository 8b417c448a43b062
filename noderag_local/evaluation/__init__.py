"""Measures the quality of retrieval and answers with questions whose answers are known."""
