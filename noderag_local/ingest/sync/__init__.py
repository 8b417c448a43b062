"""What changed, moved or vanished since the last run, brought into the vault."""
