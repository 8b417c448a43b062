"""From a retrieval to an answer with citations: by a language model, or by the passages themselves."""
