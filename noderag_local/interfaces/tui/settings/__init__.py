"""The settings screen, and changes to the settings file."""
