"""The doors to a vault: the command line and the terminal interface."""
