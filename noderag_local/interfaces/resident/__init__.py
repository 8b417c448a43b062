"""The resident process: it stays for some minutes after a search, with the vault and the models loaded, and runs the next ones."""
