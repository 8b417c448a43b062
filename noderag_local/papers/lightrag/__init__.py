"""LightRAG (Guo et al. 2024): finds entities and relationships by keywords of two levels. All methods are in lightrag.py.

Methods      light-local, light-global, light-hybrid, light-mix, light-paper
Paper        Guo et al. 2024, section 3.2, dual-level retrieval: keywords that name things find entities, keywords of the
             question's theme find relationships. Either brings its neighbours one hop away, and the texts that all of them
             come from. `light-local` searches by names, `light-global` by the theme, `light-hybrid` by both in turn, and
             `light-mix` adds the nearest chunks, as the authors' code does. `light-paper` searches by both and brings the
             neighbours of all entities (section 3.2, iii). It searches the model's profiles (section 3.1, profiles.py): each
             entity that has a relationship has one under its name, each relationship one under themes, which the keywords of
             the question's theme find. The ablations of section 4.3 leave out one thing each: -High is
             `light-local(neighbours=true, profiles=true)`, -Low is `light-global(neighbours=true, profiles=true)`, and -Origin,
             without the original texts, is `light-paper(origin=false)`. Without these values, `light-local` and `light-global`
             have neither neighbours nor profiles.
Needs        text, graph, vectors. Profiles as far as `noderag enrich --layer light` has written them. Relationships and
             attributes of the language model as far as it has read; elsewhere a sentence that names two entities is a
             relationship, and a sentence describes an entity. Such sentences also count beside the model's relationships,
             unless `evidence=model` leaves them out.
Deviations   - A rule finds the question's keywords: its names, and its other content words. The paper calls the model, as
               the methods below do.
             - graph_evidence/key_values.py says by what an entity is searched. One that the question names comes first;
               in the paper, its name is part of its key.
             - Relationships of an entity are taken by their cosine with the question. The authors' code takes those of the
               entities with most relationships, so that hubs fill the context.
             - A profile is made in a call of its own from statements and sentences of all chunks; the paper's model writes
               descriptions while it reads a chunk, which small models cannot do beside statements, and they are joined. What
               the notes do not say is not kept of a profile; without anything else, the notes are its text and the
               predicates its keys.
             - A profile has one vector, of its keys and its text together, as in the authors' code; the paper embeds keys.
             - A chunk is read once; the setting `gleaning_rounds` asks for what was missed, which the paper does once (section 4.1).
             - Entities without a relationship have no profile; in the paper every node has one (section 3.1). They would
               double the calls (1,294 in place of 672 on an excerpt of MuSiQue), and many are dates and numbers.
             - Where there is no profile, an attribute or a sentence describes an entity, and statements a relationship. So on
               notes that no model has read, `origin=false` still shows sentences of the original texts.
             - The neighbours in `light-paper` are those with most relationships to the found entities, as many as are found
               by keys; the paper does not limit them.
             - The paper gives no number of entities and relationships; 40 is that of the authors' code. The context has a
               budget, and chunks have at most 350 tokens, not 1,200.
             - If no entity and no relationship is found, the context is the nearest chunks; in the paper it is empty.

Measured     Coverage in percent at 1,000 / 2,000 / 6,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its
             training set. No language model had read these notes:
                 light-paper               38.2  53.0  70.3  82.7    49.0  69.0  80.0  90.0
                 light-paper(origin=false)                           55.0  67.0  78.0  78.0
                 light-hybrid              38.6  53.0  70.3  81.9    49.0  69.0  80.0  89.0
                 light-mix                 41.0  56.6  78.3  87.1    53.0  71.0  83.0  91.0
                 light-local               40.6  52.2  62.2  64.3    51.0  60.0  66.0  68.0
                 light-global              28.1  38.2  57.4  69.9    41.0  51.0  73.0  80.0

Methods      light-local-llm, light-global-llm, light-hybrid-llm, light-mix-llm, light-paper-llm
Paper        Guo et al. 2024, section 3.2 and appendix 7.3.3: one call of the model names the low- and the high-level
             keywords of the question. The rest is as above, with all deviations but the first.
Needs        what the others need; one call of the language model for each question.
Deviations   The model writes two lines, not JSON, which small models break. If it leaves a level empty, the question itself is
             searched for.
"""
