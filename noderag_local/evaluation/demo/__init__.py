"""Sample notes of a person who does not exist, and questions about them."""
