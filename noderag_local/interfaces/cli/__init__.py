"""The `noderag` command: it parses, calls the vault and prints."""
