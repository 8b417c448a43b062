"""HippoRAG (Gutiérrez et al. 2024): personalised PageRank over named entities.

Method       hippo (hipporag.py)
Paper        Gutiérrez et al. 2024, section 2.3: personalised PageRank over the graph of entities, damping 0.5, until it
             stands; it starts from the entities of the question, weighed by specificity (one over the passages that
             name them); a passage has the mass of its entities.
Needs        text, graph, vectors. No language model; relationships that one has found join entities, too.
Deviations   - Entities are joined where a sentence names both, besides the language model's relationships; synonyms are
               the alias edges, not near vectors.
             - The question's entities come from its words, not from a call. They have half of the start; the entities
               of the sentences nearest to the question have the other half, for the paper's link by vector.
             - A passage is ranked by its mass and its cosine with the question, each scaled to 0–1: the ensemble of the
               authors' code, which takes it where it is not sure of the question's entities.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                                66.7  89.2    79.0  94.0
                 naive, to compare with                  62.7  83.9    68.0  90.0
                 by mass alone                           60.6  75.1    72.0  84.0
                 by mass alone, names alone as seeds     28.5  50.6    53.0  77.0
                 edges by 1/√(passages of either end)    67.9  89.2    78.0  94.0
                 entities joined within a chunk          66.7  89.2    76.0  94.0
"""
