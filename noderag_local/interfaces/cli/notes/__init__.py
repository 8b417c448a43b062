"""Commands that change or show the contents of the vault."""
