"""Language models on the user's own machine: the engine's protocol, llama.cpp in the process, and a scripted fake."""
