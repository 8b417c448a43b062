"""Widgets that show an answer: its text, citations and sources, and why these were found."""
