"""Reads the text in pictures: scanned pages of a PDF, photos and other pictures."""
