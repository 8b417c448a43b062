"""Long work with its progress: one job at a time, to be paused and stopped."""
