"""The chat screen and its conversation."""
