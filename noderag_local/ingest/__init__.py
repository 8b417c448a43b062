"""Turns folders into documents: finds files, reads them behind walls, cuts them into chunks, keeps the vault in step."""
