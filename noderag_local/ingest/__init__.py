"""From folders to documents: find files, read them behind walls, cut them into chunks, keep the vault in step with them."""
