"""Which sources support each sentence of an answer, and how they are marked."""
