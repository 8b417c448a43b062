"""Turns a retrieval into an answer with citations, by a language model or by quoting the passages."""
