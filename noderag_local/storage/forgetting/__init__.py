"""Records which files were forgotten and which traces of them must still be erased."""
