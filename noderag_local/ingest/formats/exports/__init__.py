"""Readers of the notes and chats that other programs and services export."""
