"""LightRAG (Guo et al. 2024): entities and relationships found by keywords of two levels.

Methods      light-local, light-global, light-hybrid, light-mix (lightrag.py)
Paper        Guo et al. 2024, section 3.2, dual-level retrieval: keywords of the question that name things find entities,
             keywords of its theme find relationships; either brings its neighbours one hop away, and the texts that they
             come from. `light-local` takes the first way, `light-global` the second, `light-hybrid` both in turn,
             `light-mix` the nearest chunks besides, as the authors' code does.
Needs        text, graph, vectors. Relationships of the language model as far as it has read; where it has not, a
             sentence that names two entities is one. Attributes describe their entities; elsewhere a sentence does.
Deviations   - The question's keywords come from a rule, not from a call: its names, and its other content words. The
               methods of light_llm.py make the call.
             - What an entity is searched by: key_values.py. One that the question names comes first, as its name
               is a part of its key.
             - Relationships of an entity are taken by their cosine with the question; the authors' code takes those of the
               entities with most relationships, which has hubs fill the context.
             - Where no entity and no relationship is found, the nearest chunks are the context; theirs is empty then.

Methods      light-local-llm, light-global-llm, light-hybrid-llm, light-mix-llm (light_llm.py)
Paper        Guo et al. 2024, section 3.2 and appendix 7.3.3: one call names the low- and the high-level keywords of the
             question. The rest is as above, with all deviations but the first.
Needs        what the other four need; a language model at each question.
Deviations   Two lines instead of JSON, which small models break. Where a level is left empty, the question is searched for.
"""
