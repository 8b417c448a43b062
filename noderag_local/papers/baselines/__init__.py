"""Methods to compare with: full text, plain vectors, HyDE and no retrieval; all are in baselines.py.

Method       bm25
Paper        BM25 (Robertson and Zaragoza 2009), as SQLite's FTS5 has it, over chunks with their titles and headings.
Needs        text.
Deviations   The last chunk is cut at the end of a sentence where the budget ends.

Method       naive
Paper        The naive RAG that every paper of the field compares itself with: chunks by cosine until the budget is full.
Needs        text, vectors.
Deviations   The last chunk is cut at the end of a sentence where the budget ends.

Method       hyde
Paper        HyDE (Gao et al. 2022, equation 8): the model writes a hypothetical passage that answers the question; the
             context is the chunks nearest to the mean of the passage's vector and the question's. The passage may be wrong;
             it helps because it is worded like the passages that hold the answer.
Needs        text, vectors; one call of the language model for each question.
Deviations   One passage, the likeliest, of at most 64 tokens. The paper draws several of up to 512, which would take a small
             model on a processor a minute.

Method       zero-shot
Paper        The row "zero-shot" or "direct LLM" in the tables of the papers of the field (ArchRAG, table 3).
Needs        nothing of the vault; a language model to answer.
Deviations   none.
"""
