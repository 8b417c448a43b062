"""Language models: the engine's protocol, prompts as tokens, and a scripted engine for tests."""
