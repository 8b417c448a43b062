"""The application, its session with the vault, and the lines at the bottom of every screen."""
