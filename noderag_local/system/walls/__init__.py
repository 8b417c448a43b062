"""Rights that a process gives up for good before it meets what a stranger wrote; one module a wall."""
