"""Commands that keep, encrypt, move and restore a vault."""
