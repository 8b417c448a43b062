"""Model files: the catalogue, fetching, adding, checking and choosing one."""
