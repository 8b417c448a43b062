"""Compares runs in tables, plots and pages."""
