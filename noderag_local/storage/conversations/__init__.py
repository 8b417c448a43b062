"""Conversations, kept in a file of their own."""
