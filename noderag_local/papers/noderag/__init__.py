"""NodeRAG (Xu et al. 2025) with the settings of its paper.

Method       noderag-paper (noderag_paper.py)
Paper        NodeRAG, section 2.4 and table 6: dual search (exact matches on the names of entities and overviews, the ten
             nearest texts, semantic units, attributes and high-level elements by vector), shallow personalised PageRank
             with α = 0.5 and t = 2, selection of T, S, A, H and R by mass.
Needs        text, graph, vectors. Uses what the language model has made of the notes so far; sentences stand for the
             semantic units of chunks that it has not read.
Deviations   The call that lists the question's entities is replaced by matching runs of its words. In place of so many
             nodes of each type, each type has a share of the token budget; what one leaves, the best of all others take.
             N and O lead the walk and are never in the context, as in the paper.
"""
