"""Small screens over the others that return an answer."""
