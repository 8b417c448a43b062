"""Answers to open questions compared by a language model."""
