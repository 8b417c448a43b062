"""The terminal interface in a browser on this machine, by textual-serve."""
