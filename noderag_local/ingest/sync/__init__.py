"""Brings into the vault what changed, moved or vanished since the last run."""
