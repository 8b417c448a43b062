"""Holds one statement of an answer against passages by what it says: who, what, when, how many, denied or doubted."""
