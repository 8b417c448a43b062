"""Commands about what the vault holds."""
