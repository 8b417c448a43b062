"""Answers questions about many notes by computing: counts, sums, first and last days, order, lists, the newest state.

`plan` reads from the question what is to be computed, `entries` finds what fits in the notes, and each module of
`operations` computes one kind of answer. Whatever is not sure is left to retrieval and the language model.
"""
