"""The user's manual: Markdown pages in this folder, and functions that find a page or heading."""
