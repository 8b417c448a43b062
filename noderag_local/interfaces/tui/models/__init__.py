"""The models screen."""
