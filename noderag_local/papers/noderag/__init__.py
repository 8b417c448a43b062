"""NodeRAG (Xu et al. 2025) with the settings of its paper.

Methods      noderag-paper, noderag-paper-llm (noderag_paper.py)
Paper        NodeRAG, section 2.5 and table 6. Dual search: names of entities and overviews in which an entity of the
             question stands word by word (with `match=whole`, those that equal it), and the ten texts, semantic units,
             attributes and high-level elements nearest to it, all types together. Then shallow personalised PageRank with
             α = 0.5 and t = 2, and selection of T, S, A, H and R by mass. Every edge weighs 1, and one more where a semantic
             edge joins the same two nodes; relationships are joined to the semantic units that tell them.
             `noderag-paper-llm` lets the model list the question's entities, as the paper does.
Needs        text, graph, vectors. Uses what the language model has made of the notes so far; where it has not read a chunk,
             its sentences stand for semantic units. Where it has, what the rules named there counts too, unless
             `evidence=model` leaves that out; `evidence=rules` leaves out what the model found. `noderag-paper-llm` makes
             one call of the model for each question.
Deviations   - Texts are entry points by vector, as in table 6; the equation in section 2.5 leaves them out.
             - Semantic units are ranges of sentences, word for word; the paper's are paraphrased. With `units=written`, those
               that the model has written in words of its own (written_units.py, `noderag enrich --layer written`) are searched
               by these words and shown in them; they cite the range. One call writes one unit, and only what the unit says is
               kept of it. Semantic edges and communities stay those of the ranges.
             - Semantic edges are the nearest neighbours, pruned as HNSW does, 16 for each node and without a text's own
               units. The paper takes the base layer of an HNSW index, whose neighbour lists ours does not give. Where no
               model has read, each sentence is joined to its ten nearest sentences, unpruned, and texts to none. Above 2,000
               nodes an HNSW index proposes the neighbours (above 50,000, those of sentences).
             - Each type of node has a share of the token budget; what one leaves goes to the best of all others. The paper
               takes a number of nodes for each type, which it does not tell, and has no budget; `cross_nodes` sets one.
             - In place of the model, `noderag-paper` takes the runs of words with capital letters for the question's entities.
               All other runs are looked up as whole names alone; those in small letters, only if nothing has a capital.
             - The model lists no closely related terms, which the paper's prompt allows where it is confident (appendix E).
             - Names are compared without case, outer punctuation and leading articles, and merged names count as one.
             Of the graph:
             - At most 0.2 attributes a chunk are written (the paper's have 0.4 on MuSiQue), of entities that two units or
               relationships name at least, that are the subject of something, and that are no date and no number. One is written
               from 400 tokens of notes and has up to 60 words; in the paper it is written from all notes and has up to 2,000.
             - While attributes and communities are chosen, relationships are not joined to semantic units (section 2.2).
             - Leiden is run for each connected component, with weak edges for dates, numbers and common words. Communities have
               3 to 40 semantic units, and the model sees 450 tokens of each.
             - Only 0.15 communities a chunk are summarised, with up to three high-level elements each; the paper's graph of
               MuSiQue has about three elements a chunk (table 4).
             - Elements are matched in clusters only if these have more than 39 nodes on average, as in the released code; else
               with their whole community. Elements are not matched with each other, as section 2.3 allows.
             - The walk also takes the edges between names that mean the same, which the paper does not have.
Measured     Coverage in percent at 1,000 / 2,000 / 6,000 / 12,000 tokens, 100 training questions of MuSiQue. Measured before names
             were matched by words (that is, with match=whole), and before years and, in questions without capitalised names, names
             in small letters were looked up. No language model had read these notes:
                 noderag-paper                               60  71  87  94
                 naive, to compare with                      54  68  85  90
                 every run of words as a name, as before     56  69  86  90
                 … with twenty nearest (nearest=20)          59  73  89  92
                 … with four steps (steps=4)                 55  70  86  93
             The 249 dev questions: 54.6 66.3 82.7 87.6 (naive: 50.6 62.7 76.7 83.9; every run of words: 52.6 60.2 79.1 85.9).

             Where a model of 1.5 billion parameters has read every chunk, the same questions, at 1,000 / 2,000 / 6,000:
                 noderag-paper                               51  63  85
                 evidence=model                              51  65  81
                 evidence=rules, as without a model          60  71  87
                 every run of words as a name                50  61  83
                 … and attributes and elements not shown     51  61
                 … and relationships not shown               53  63
                 … and only texts and units shown            53  63
                 only texts and units shown                  53  67  85
             So its reading costs 9 points at 1,000 tokens, and 2 at 6,000. Of these, 2 to 4 are room: its relationships are
             fragments ("Vàm Cỏ River joins River.") that stand beside the sentences they were taken from. Names that it gave
             to things without a name ("river", "country") let the walk begin everywhere; names with a capital letter alone
             mend that in part. The rest is the walk, which the units share with their own sentences: more entry points
             (nearest=20) do not mend it. The paper's claim that reading helps was made with a model that resolves pronouns and
             does not repeat sentences; with this one it does not hold.
"""
