"""NodeRAG (Xu et al. 2025) with the settings of its paper.

Method       noderag-paper (noderag_paper.py)
Paper        NodeRAG, section 2.4 and table 6. Dual search: exact matches on the names of entities and overviews, and the ten
             nearest texts, semantic units, attributes and high-level elements by vector. Then shallow personalised PageRank
             with α = 0.5 and t = 2, and selection of T, S, A, H and R by mass.
Needs        text, graph, vectors. Uses what the language model has made of the notes so far; where it has not read a chunk,
             its sentences stand for semantic units.
Deviations   - Runs of words in the question are matched with names; the paper calls the model to list its entities.
             - Each type of node has a share of the token budget; the paper has a number of nodes for each type. What one
               type leaves over goes to the best of all others.
             - As in the paper, entities and overviews (N and O) guide the walk and are never in the context.
"""
