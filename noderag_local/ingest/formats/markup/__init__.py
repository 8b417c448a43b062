"""Markup languages: HTML, EPUB, LaTeX, Org, reStructuredText, RTF and subtitles."""
