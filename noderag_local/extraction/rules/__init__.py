"""Finds entities, dates and keywords by rule, without a language model."""
