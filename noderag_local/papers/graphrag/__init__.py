"""GraphRAG (Edge et al. 2024), as far as it goes without a model call for each question.

Methods      graphrag-local, graphrag-global (graphrag.py)
Paper        Edge et al. 2024; the searches as the authors' code has them (local search: entities by vector, then the
             community reports, relationships and texts around them; global search: all community reports).
Needs        text, graph, vectors. Reports are our high-level elements, which the language model writes; where it has not
             yet, `graphrag-local` goes without, and `graphrag-global` cannot be used.
Deviations   - Communities are those of our graph, and flat. An element is one finding of a report with a title of its own.
             - `graphrag-global` takes the elements by their cosine with the question, as many as the budget holds. The
               authors let the model rate every report for every question.
             - What entities are searched by, and relationships before the model has read: lightrag/key_values.py.
"""
