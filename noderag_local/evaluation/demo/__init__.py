"""Sample notes of a fictional person, and questions about them."""
