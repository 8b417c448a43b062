"""The interfaces to a vault: the command line and the terminal interface."""
