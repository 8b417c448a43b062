"""From pieces of text at places on a page to paragraphs in reading order; pure geometry, without a file."""
