"""The user's manual: pages in Markdown beside this file, and what finds a page or a heading in them."""
