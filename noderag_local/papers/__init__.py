"""The published retrieval methods: a folder for each paper, with a card in its `__init__.py` that says where we follow it."""
