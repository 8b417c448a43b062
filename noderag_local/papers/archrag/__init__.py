"""ArchRAG (Wang et al. 2025): attributed communities in levels, searched from the top.

Methods      arch, arch-spectral, arch-plain, arch-flat, arch-entities, arch-direct (archrag.py)
Paper        Wang et al. 2025, section 3.2: the entities and communities of every level that are nearest to the question, by
             C-HNSW; then relationships of the entities, first those between two of them. The answer comes in two steps:
             the model chooses what helps, then answers from that (generation/filtering.py). `arch-spectral` finds the
             communities by spectral clustering, `arch-plain` without joining near entities first, `arch-flat` has one
             level of them, `arch-entities` none, and `arch-direct` answers from the whole context in one step.
Needs        text, graph, vectors. The hierarchy is made without a language model; as far as one has written summaries
             (`arch` and `arch-direct` alone), these stand for the sentences that tell most of a community.
Deviations   - k = 20, and 20 relationships with one end, for each 1,000 tokens of the budget; the paper has 5 and 10 at any.
               Our entities are found by rules, and what is told of each is one sentence, not a description.
             - Entities that the question names come first, half of k at most, as a name is a part of the paper's key and
               not of ours (lightrag/key_values.py).
             - A sentence that names two entities is a relationship where the model has not read.
             - Summaries of all levels stand by their cosine with the question. Those of each level in turn had sentences of
               the highest levels, which say nothing of any question, take the room of better ones.
             - Levels of up to 50,000 nodes are compared with one by one. Where the walk enters a level: storage/vectors/chnsw.py.
             - Points are passages copied from the sources, scored 0 to 3, so that citations open the notes. Where the model
               chooses none, it answers from the whole context, and not, as the paper's, from what it knows.
Measured     Coverage in percent at 1,000 / 2,000 / 6,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training
             set. No language model had read these:
                 arch, arch-direct         52.2  61.8  81.5  86.7    64.0  79.0  89.0  92.0
                 naive, to compare with    50.6  62.7  76.7  83.9    54.0  68.0  85.0  90.0
                 arch-spectral             51.8  63.5  80.7  87.6    59.0  79.0  88.0  90.0
                 arch-plain                53.4  64.7  81.5  87.1    63.0  78.0  89.0  93.0
                 arch-flat                 54.2  65.1  82.3  88.4    65.0  79.0  89.0  92.0
                 arch-entities             52.6  63.9  82.3  86.7    66.0  77.0  87.0  92.0
                 in turn, index before     50.2  60.6  77.5  84.3    61.0  76.0  87.0  90.0
             On the first 50 of the training set, with summaries in turn and no names first: k of 5 and 10 relationships at
             any budget 56 60 66 72, for each 1,000 tokens 56 70 82 86, 20 and 20 of them 64 76 84 88. While summaries are
             sentences, the hierarchy adds no more than a single level of it, or none: what it tells stands in the notes.
             Answers of the 1.5B to 24 training questions at 1,000 tokens, EM and F1: 0 and 13 (naive 17 and 31, covering
             less): so small a model leaves out what it needs when it chooses.
"""
