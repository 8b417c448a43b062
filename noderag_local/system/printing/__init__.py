"""Text made safe and readable for a terminal, a file, a link or a model."""
