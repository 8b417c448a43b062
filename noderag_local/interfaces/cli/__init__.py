"""The `noderag` command: parses arguments, calls the vault and prints results."""
