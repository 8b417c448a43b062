"""HippoRAG (Gutiérrez et al. 2024): personalised PageRank over named entities.

Method       hippo (hipporag.py)
Paper        Gutiérrez et al. 2024, section 2.3: personalised PageRank over the graph of entities, teleport 0.5, until it
             converges. It starts from the entities of the question, weighted by specificity (one over the number of
             passages that name them). A passage has the mass of its entities.
Needs        text, graph, vectors. No language model; entities and relationships that one has found count, too. With
             `evidence=model` they alone do where it has read, as in the paper; with `evidence=rules` they do not.
Deviations   - A sentence that names two entities joins them, besides the language model's relationships. Synonyms are the
               alias edges; the paper joins near vectors.
             - The question's entities come from its words, not from a call of the model. They get half of the start. The
               entities of the sentences nearest to the question get the other half; the paper links by vector instead.
             - A passage is ranked by its mass plus its cosine with the question, each scaled to 0–1. The authors' code does
               so where it is not sure of the question's entities.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                                66.7  89.2    79.0  94.0
                 naive, to compare with                  62.7  83.9    68.0  90.0
                 by mass alone                           60.6  75.1    72.0  84.0
                 by mass alone, names alone as seeds     28.5  50.6    53.0  77.0
                 edges by 1/√(passages of either end)    67.9  89.2    78.0  94.0
                 entities joined within a chunk          66.7  89.2    76.0  94.0
"""
