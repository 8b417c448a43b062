"""ArchRAG (Wang et al. 2025): searches a hierarchy of attributed communities from the top down.

Methods      arch, arch-paper, arch-spectral, arch-plain, arch-flat, arch-entities, arch-direct (archrag.py)
Paper        Wang et al. 2025. Communities are found level by level (section 3.1.2, Algorithm 1): each level is augmented,
             weighed and clustered, its communities are summarised, and the summaries decide the level above. C-HNSW finds the
             entities, and the communities of every level, that are nearest to the question (section 3.2, Algorithm 2); then
             come relationships of these entities. The model answers in two steps: it chooses what helps, then answers from
             that (generation/filtering.py). `arch-paper` has the paper's numbers; `arch` has ours. Variants of `arch`:
             `arch-spectral` finds the communities by spectral clustering, `arch-plain` does not join near entities first,
             `arch-flat` has one level of communities, `arch-entities` has none, and `arch-direct` answers from the whole
             context in one step.
Needs        text, graph, vectors. The hierarchy needs no language model. Where a model has written a summary of a community,
             `arch`, `arch-paper` and `arch-direct` use it; everywhere else, the sentences that say most about a community.
Deviations   Of the communities:
             - An edge weighs the cosine of its ends, at least 0.01. Algorithm 1 prints 1 − cos, but section 3.1.2 says that
               the weight is the similarity, and the released code uses it.
             - The paper leaves open how many near entities are joined, how large communities are and how many levels there
               are; these follow the released code. An entity that is never named with another is in no community.
             - Two entities in one sentence are linked, also beside the relationships that the model found; the paper has those
               alone. Numbers and dates have no links, so they are in no community, but they are searched on the lowest level.
             - An entity's key is the mean of the vectors of the sentences that name it, also in `arch-paper` and where a model
               has read; in the paper it is the vector of its description, which the model writes (sections 3.1.1 and 3.1.3).
             - A summary is written from at most 450 tokens of sentences or, above the first level, of the summaries below.
             - New notes join known communities (community_growth.py). The paper does not say how a hierarchy is kept current.
             - A level above the first is stored when the model has been asked about all communities below it. Until then it
               is found in memory, by the vectors of sentences where there are no summaries.
             - Summaries have 50 words at most. One that the notes do not support is refused, and sentences stand for it.
             - Of the clusterings of section 4.3, Leiden, spectral clustering and SCAN are there; node2vec with k-means and
               the augmentation CODICIL are not.
             Of the search, in all methods:
             - A sentence that names two entities counts as a relationship, and one sentence describes an entity, where no
               model has read them.
             - The walk of C-HNSW has a wider beam and more entries than the paper's (storage/vectors/chnsw.py).
             - The context has a budget. In `arch-paper`, each layer has an equal share of it.
             - The filter (equations 3 and 4, figure 10) reads the sources in groups of up to 500 tokens, in `arch-paper` of one
               layer each, and writes at most three points for a group. The points are joined by source, the source with the best point last; the
               paper sorts all reports by their scores and cuts off what exceeds the limit.
             - The points that the model chooses are passages copied from the sources, so that citations open the notes. If it
               chooses none, it answers from the whole context; the paper answers from what it knows.
             Of the search, in `arch` and its variants, each a parameter:
             - k = 20, and 20 relationships with one end among the entities, for each 1,000 tokens of the budget; the paper
               has k = 5 at any budget and relationships between the entities alone. Our entities are found by rules and each
               is described by one sentence, so it takes more of them.
             - Entities that the question names come first, up to half of k. The paper's keys contain the names; ours do
               not (graph_evidence/key_values.py).
             - Summaries of all levels are ranked together by cosine. With a share for each layer, general sentences of the
               top levels, which answer no question, displace better ones.
             - Levels of up to 250,000 nodes are compared one by one, which is exact.
             - Scores are 0 to 3, not 0 to 100.
Measured     Coverage in percent at 1,000 / 2,000 / 6,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its
             training set. No language model had read these notes:
                 arch, arch-direct         51.0  60.6  81.5  87.6    67.0  80.0  88.0  92.0
                 naive, to compare with    50.6  62.7  76.7  83.9    54.0  68.0  85.0  90.0
                 arch-spectral             52.2  61.0  80.7  85.9    60.0  77.0  88.0  89.0
                 arch-plain                53.4  64.3  79.1  87.1    63.0  79.0  88.0  92.0
                 arch-flat                 54.2  65.1  83.5  90.4    65.0  79.0  89.0  92.0
                 arch-entities             52.6  63.9  82.3  86.7    66.0  77.0  87.0  92.0
                 arch(clustering=scan)                               65.0  80.0  88.0  93.0
                 arch-paper                38.2  45.8  49.0  49.4    45.0  51.0  54.0  54.0
                   and k for each 1,000 tokens                       45.0  58.0  76.0  84.0
                   and k = 20                                        48.0  60.0  78.0  85.0
                   and 20 relationships with one end                 48.0  60.0  78.0  85.0
                   and named entities first                          48.0  60.0  79.0  85.0
             What is left between the last line and `arch` are the equal shares of the layers and the walk. Above 2,000
             tokens `arch-paper` does not fill its budget: the contexts have 2,629 tokens on average. As long as summaries are
             sentences, the hierarchy gains nothing over a single level or none: all that it says stands in the notes.
             Quality of the communities of the lowest level (section 4.3), training paragraphs: Calinski-Harabasz index and
             mean cosine 27.7 and 0.907 with Leiden, 18.3 and 0.848 spectral, 26.5 and 0.928 SCAN; without augmentation 21.4 and
             0.898, 14.4 and 0.837, 23.3 and 0.926.
             Answers of the 1.5B model to 24 training questions at 1,000 tokens, with an earlier version of `arch`: EM 0, F1 13
             (naive: 17 and 31, with less coverage). So small a model drops what it needs when it chooses.
"""
