"""The operating system's protections: no network, private files, and walls around processes that read foreign files."""
