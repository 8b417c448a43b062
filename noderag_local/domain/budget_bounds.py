"""The fewest and most tokens of context that a user may allow a question."""

LEAST_BUDGET = 50
MOST_BUDGET = 100_000
