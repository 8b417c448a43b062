"""KET-RAG (Huang et al. 2025): a skeleton of core chunks and a graph of keywords. All methods are in ketrag.py.

Methods      ket, ket-paper, ket-uniform
Paper        Huang, Zhang and Xiao 2025, section 5, Algorithm 4. Two channels: local search in a graph skeleton that is made
             of the core chunks, and keywords whose sentences are ranked again. `ket` chooses core chunks by PageRank,
             `ket-uniform` draws as many by lot. `ket-paper` has all values of the paper: it is KET-RAG-P,
             `ket-paper(core=uniform)` KET-RAG-U and `ket-paper(beta=1, theta=1)` MS-Graph-RAG.
Needs        text, graph, vectors. It builds two parts by itself, without a language model: the nearest neighbour graph of
             the chunks, and the lengths of the keywords' vectors.
Deviations   - Entities are those of the rules and of the language model together. Where the model has not read a chunk, a
               sentence that names two entities counts as a relationship, and the sentence nearest to the question
               describes an entity.
             - In the keyword channel of `ket`, a sub-chunk is a sentence. That of `ket-paper` is a whole chunk (τ = 0), as the
               paper has it for chunks of 150 tokens; its vector is the mean of its sentences'. The paragraphs of MuSiQue are
               as short as that, 111 tokens on average. The chunks of ordinary notes have 250 to 350 tokens, for which the
               paper has τ = 1 (`tau=1`). The skeleton's texts stay whole at every τ.
             - A word is a keyword if it stands in two sentences, or is capitalised or a number somewhere.
             - The model's statements take turns with the descriptions of the seeds; in the paper, the descriptions are first.
               A description is a sentence of the notes, also where the model has read them.
             - The model reads the most central chunks first, so where it has read some of them, those drawn by lot may be unread.
             - The seeds of the skeleton are ranked by the mean vector of all sentences of the vault that name them; in the paper,
               their descriptions are made of the core chunks alone (Algorithm 3, line 9).
             - The skeleton's texts are ranked by the number of relationships that come from them, ties by cosine; in the paper
               the entities found count, too (Algorithm 2, line 3).
             - In the graph of chunks, a word that over a tenth of the chunks have is not counted as shared. In
               `ket-paper` (`common=1`) it is, as in the paper.
             - The paper does not tell α of its PageRank; it is 0.15.
             - The two channels take turns in the context, so that the best of both come first. Budget that one leaves goes
               to the other.
             - In a vault of up to 100 chunks, all are core chunks of `ket`; `ket-paper` has no such rule.
             - Smaller deviations are told at the constants in keyword_channel.py and skeleton_channel.py.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                              68.3  88.4    74.0  96.0
                 naive, to compare with                62.7  83.9    68.0  90.0
                 core chunks by lot (ket-uniform)      67.5  89.6    74.0  96.0
                 all chunks are core (β = 1)           68.3  89.2    73.0  95.0
                 10 seeds, as the paper                69.1  86.7    76.0  97.0
                 θ = 0.2                               65.1  87.1    70.0  96.0
                 θ = 0.6                               67.1  87.6    75.0  96.0
             At 1,000 / 2,000 / 6,000 / 12,000 tokens, 100 questions of the training set; `ket-paper` before it counted the words
             that many chunks share (that is, with common=0.1):
                 ket                                     60  74  89  96
                 ket-paper                               58  72  87  89
                 ket-paper(core=uniform)                 53  68  86  89
                 ket-paper(beta=1, theta=1)              55  60  62  63
                 ket-paper(parts=sentences)              63  78  87  93
                 ket-paper(seeds=40)                     58  70  86  89
                 ket-paper(fills_up=false)               49  67  83  88
             `ket-paper` trails `ket` at 12,000 because it leads to whole chunks: with sentences it has 93. MS-Graph-RAG is
             behind naive, as in the paper (69.6 and 76.8): ten entities have 2,300 tokens around them.
             PageRank gains nothing over drawing by lot here. In the paper it has less coverage of MuSiQue at 150 tokens a chunk
             (79.6 and 80.2), but more at 1,200 (77.0 and 76.2), and higher EM and F1 in both; section 6.3 claims a gain. No
             language model had read these notes.

Method       ket-keyword
Paper        Huang, Zhang and Xiao 2025, "Keyword-RAG": Algorithm 4, lines 2–4, with the whole budget.
Needs        text, graph (keywords), vectors. No language model.
Deviations   - Sub-chunks are sentences, in place of 2^τ equal parts of a chunk.
             - A word is a keyword if it stands in two sentences, or is capitalised or a number somewhere; the authors' code
               takes every word.
             - The mean of a keyword's sentences is scaled half-way back to length 1 (the parameter `renormalised`).
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                                       62.2  85.1    68.0  95.0
                 naive, to compare with                         62.7  83.9    68.0  90.0
                 renormalised=1, the paper                      53.4  81.1    74.0  96.0
                 renormalised=0, the authors' code              59.4  83.1    66.0  93.0
                 renormalised=1, four times the candidates      58.2  86.3    73.0  94.0
                 sub-chunks are whole chunks (τ = 0), 1         52.6  76.3    64.0  90.0
                 sub-chunks are whole chunks (τ = 0), 0         61.8  83.5    68.0  90.0
                 no keywords of one sentence, 1                 53.4  81.1    75.0  96.0
                 no keywords of one sentence, 0                 55.0  81.5    67.0  93.0

Method       ket-skeleton
Paper        Huang, Zhang and Xiao 2025, "Skeleton-RAG": Algorithm 2 over the core chunks, with the whole budget.
Needs        text, graph, vectors. Relationships of the language model as far as it has read.
Deviations   Those of `ket` for entities and relationships that no language model has read.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                  59.4  72.3    70.0  78.0
                 naive, to compare with    62.7  83.9    68.0  90.0
                 10 seeds, as the paper    54.6  58.2    61.0  63.0
                 20, as its code           56.2  65.5    63.0  71.0
                 all chunks core (β = 1)   63.5  81.9    76.0  83.0
             It stays behind naive, as in the paper (69.6 and 76.8), for two reasons: leaving out the fifth of the chunks that
             are not core costs ten points, and 40 entities have only 8,500 tokens around them, not 12,000.

Method       ket-knn
Paper        KNNG-RAG as Huang, Zhang and Xiao 2025, section 6.1, have it: the chunks nearest to the question, each with its
             neighbours in the graph of KET-RAG's first step. In their tables, too, it is worse than plain retrieval.
Needs        text, graph (keywords), vectors. No language model.
Deviations   All neighbours of a chunk follow it, the nearest to the question first, however far from it they are.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                56.6  81.1    67.0  89.0
                 naive, to compare with  62.7  83.9    68.0  90.0

Method       hybrid
Paper        Hybrid-RAG (Sarmah et al. 2024) as Huang, Zhang and Xiao 2025, section 6.1, have it: half of the budget for
             Text-RAG, half for GraphRAG's local search over all chunks.
Needs        text, graph, vectors. Relationships of the language model as far as it has read.
Deviations   Those of `ket` for entities and relationships that no language model has read. The halves take turns in the
             context; budget that one leaves goes to the other.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                62.2  87.6    71.0  93.0
                 naive, to compare with  62.7  83.9    68.0  90.0
"""
