"""Models that run on the user's own machine."""
