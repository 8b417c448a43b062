"""Lets a language model compare answers to open questions."""
