"""Methods to compare with: full text, plain vectors, HyDE and no retrieval.

Method       bm25 (bm25.py)
Paper        BM25 (Robertson and Zaragoza 2009), as SQLite's FTS5 has it, over chunks with their titles and headings.
Needs        text.
Deviations   The last chunk is cut at a sentence where the budget ends.

Method       naive (naive.py)
Paper        The naive RAG that every paper of the field compares itself with: chunks by cosine until the budget is full.
Needs        text, vectors.
Deviations   The last chunk is cut at a sentence where the budget ends.

Method       hyde (hyde.py)
Paper        HyDE (Gao et al. 2022, equation 8): the model writes a hypothetical passage that answers the question; the
             chunks nearest to the mean of its vector and the question's are the context. Right or wrong, it is worded
             as such passages are.
Needs        text, vectors; a language model at each question.
Deviations   One passage, the likeliest, of at most 64 tokens; the paper draws several of up to 512, which a small model on a
             processor takes a minute for.

Method       zero-shot (zero_shot.py)
Paper        The row "zero-shot" or "direct LLM" in the tables of the papers of the field (ArchRAG, table 3).
Needs        nothing of the vault; a language model to answer.
Deviations   none.
"""
