"""Commands that ask, search and measure."""
