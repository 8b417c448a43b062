"""Look-ups for people: counts, lists and places."""
