"""Rights that a process gives up for good before it reads a foreign file; one module for each wall."""
