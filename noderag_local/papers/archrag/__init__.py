"""ArchRAG (Wang et al. 2025): searches a hierarchy of attributed communities from the top down.

Methods      arch, arch-spectral, arch-plain, arch-flat, arch-entities, arch-direct (archrag.py)
Paper        Wang et al. 2025, section 3.2. C-HNSW finds the entities, and the communities of every level, that are nearest
             to the question; then come relationships of these entities, first those between two of them. The model
             answers in two steps: it chooses what helps, then answers from that (generation/filtering.py).
             Variants: `arch-spectral` finds the communities by spectral clustering, `arch-plain` does not join near
             entities first, `arch-flat` has one level of communities, `arch-entities` has none, and `arch-direct` answers
             from the whole context in one step.
Needs        text, graph, vectors. The hierarchy needs no language model. Where a model has written a summary of a community,
             `arch` and `arch-direct` use it; everywhere else, the sentences that say most about a community are used.
Deviations   - k = 20, and 20 relationships with one end among the entities, for each 1,000 tokens of the budget; the paper
               has 5 and 10 at any budget. Our entities are found by rules and each is described by one sentence, so it
               takes more of them.
             - Entities that the question names come first, up to half of k. The paper's keys contain the names; ours do
               not (graph_evidence/key_values.py).
             - A sentence that names two entities counts as a relationship where no model has read it.
             - Summaries of all levels are ranked together by cosine. Taken level by level, general sentences of the top
               levels, which answer no question, displaced better ones.
             - Levels of up to 50,000 nodes are compared one by one, without HNSW. storage/vectors/chnsw.py says where the
               walk enters a larger level.
             - The points that the model chooses are passages copied from the sources, scored 0 to 3, so that citations open
               the notes. If it chooses none, it answers from the whole context; the paper answers from what it knows.
Measured     Coverage in percent at 1,000 / 2,000 / 6,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its
             training set. No language model had read these notes:
                 arch, arch-direct         52.2  61.8  81.5  86.7    64.0  79.0  89.0  92.0
                 naive, to compare with    50.6  62.7  76.7  83.9    54.0  68.0  85.0  90.0
                 arch-spectral             51.8  63.5  80.7  87.6    59.0  79.0  88.0  90.0
                 arch-plain                53.4  64.7  81.5  87.1    63.0  78.0  89.0  93.0
                 arch-flat                 54.2  65.1  82.3  88.4    65.0  79.0  89.0  92.0
                 arch-entities             52.6  63.9  82.3  86.7    66.0  77.0  87.0  92.0
                 level by level, old index 50.2  60.6  77.5  84.3    61.0  76.0  87.0  90.0
             First 50 questions of the training set, summaries level by level, named entities not first: k = 5 and 10
             relationships at any budget 56 60 66 72; the same for each 1,000 tokens 56 70 82 86; 20 and 20 for each 1,000
             tokens 64 76 84 88. As long as summaries are sentences, the hierarchy gains nothing over a single level or
             none: all that it says stands in the notes.
             Answers of the 1.5B model to 24 training questions at 1,000 tokens: EM 0, F1 13 (naive: 17 and 31, with less
             coverage). So small a model drops what it needs when it chooses.
"""
