"""The application, its session with the vault, and the lines that every screen has."""
