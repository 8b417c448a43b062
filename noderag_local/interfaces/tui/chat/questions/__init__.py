"""Where a question is written, with commands and hints."""
