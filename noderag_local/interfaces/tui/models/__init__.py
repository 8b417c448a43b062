"""The screen that lists, gets and removes models."""
