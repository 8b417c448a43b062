"""The stages of indexing and of the model's work: in order, within a budget, stopped at any moment."""
