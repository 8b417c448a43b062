"""Records what was forgotten, and which of its traces must still be cleared."""
