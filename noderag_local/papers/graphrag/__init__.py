"""GraphRAG (Edge et al. 2024): local and global search, without a model call for each question.

Methods      graphrag-local, graphrag-global (graphrag.py)
Paper        Edge et al. 2024, with the searches of the authors' code. Local search: entities by vector, then the community
             reports, relationships and texts around them. Global search: all community reports.
Needs        text, graph, vectors. Our high-level elements stand for the reports; the language model writes them. Until it
             has, `graphrag-local` goes without reports, and `graphrag-global` cannot be used.
Deviations   - Communities are those of our graph, and have one level. An element is one finding of a report, with its own
               title.
             - `graphrag-global` takes elements by their cosine with the question until the budget is full. The authors let
               the model rate every report for every question.
             - A chunk is read once. The setting `gleaning_rounds` asks the model again for what it missed ("gleanings"); it
               then sees the text with its facts so far, and writes nothing if it missed nothing, where the paper asks yes or
               no first.
             - graph_evidence/key_values.py says by what entities are searched, and what counts as a relationship before the
               model has read.
"""
