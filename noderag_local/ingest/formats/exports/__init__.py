"""What other programs and services export of a person's notes and chats."""
