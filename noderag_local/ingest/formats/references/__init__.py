"""Libraries of references: Zotero, BibTeX and RIS. Each paper, book or other work is a document."""
