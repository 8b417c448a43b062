"""Runs long work as jobs, one at a time, with progress, pausing and stopping."""
