"""The published retrieval methods, one folder per paper; the folder's `__init__.py` describes the paper and our deviations."""
