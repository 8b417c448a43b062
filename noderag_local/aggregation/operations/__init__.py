"""The kinds of answers that can be computed; each returns None where the notes do not decide it."""
