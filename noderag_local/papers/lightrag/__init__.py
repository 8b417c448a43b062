"""LightRAG (Guo et al. 2024): finds entities and relationships by keywords of two levels. All methods are in lightrag.py.

Methods      light-local, light-global, light-hybrid, light-mix
Paper        Guo et al. 2024, section 3.2, dual-level retrieval: keywords that name things find entities, keywords of the
             question's theme find relationships. Either brings its neighbours one hop away, and the texts that all of them
             come from. `light-local` searches by names, `light-global` by the theme, `light-hybrid` by both in turn, and
             `light-mix` adds the nearest chunks, as the authors' code does.
Needs        text, graph, vectors. Relationships and attributes of the language model as far as it has read; elsewhere a
             sentence that names two entities is a relationship, and a sentence describes an entity.
Deviations   - A rule finds the question's keywords: its names, and its other content words. The paper calls the model, as
               the methods below do.
             - graph_evidence/key_values.py says by what an entity is searched. One that the question names comes first;
               in the paper, its name is part of its key.
             - Relationships of an entity are taken by their cosine with the question. The authors' code takes those of the
               entities with most relationships, so that hubs fill the context.
             - If no entity and no relationship is found, the context is the nearest chunks; in the paper it is empty.

Methods      light-local-llm, light-global-llm, light-hybrid-llm, light-mix-llm
Paper        Guo et al. 2024, section 3.2 and appendix 7.3.3: one call of the model names the low- and the high-level
             keywords of the question. The rest is as above, with all deviations but the first.
Needs        what the other four need; one call of the language model for each question.
Deviations   The model writes two lines, not JSON, which small models break. If it leaves a level empty, the question itself is
             searched for.
"""
