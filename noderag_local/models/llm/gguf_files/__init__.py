"""Model files: the catalogue, and downloading, adding, verifying and choosing models."""
