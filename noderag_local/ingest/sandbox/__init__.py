"""The limited processes in which files are read, and how results come back from them."""
