"""Frozen records that the other folders share, by topic."""
