"""The engine for a model that another program serves over an OpenAI-compatible interface."""
