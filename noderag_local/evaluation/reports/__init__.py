"""Runs side by side, as tables, plots and pages."""
