"""Commands that ask, search, and measure the quality of answers."""
