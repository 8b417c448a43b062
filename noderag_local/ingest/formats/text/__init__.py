"""Plain text, Markdown with front matter, JSON Lines, and files of one document a line."""
