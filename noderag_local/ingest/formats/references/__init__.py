"""Readers of reference libraries: Zotero, BibTeX and RIS. Each paper, book or other work becomes a document."""
