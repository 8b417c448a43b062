"""Language models: the protocol of an engine, its prompts, and the engines (llama.cpp, a server, a script for tests)."""
