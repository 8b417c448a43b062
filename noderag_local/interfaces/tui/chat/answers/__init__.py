"""An answer as it is shown: text, citations, sources, and why it came out so."""
