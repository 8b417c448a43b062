"""Finds the days that texts speak of, however they are written, and resolves "yesterday" against the day of the note."""
