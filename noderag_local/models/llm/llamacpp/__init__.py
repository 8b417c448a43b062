"""llama.cpp in this process: one model for questions and for background work."""
