"""PDF: from glyphs on a page to paragraphs in reading order."""
