"""The engine for a model that another program serves through an OpenAI-compatible interface."""
