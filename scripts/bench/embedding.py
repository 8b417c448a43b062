#!/usr/bin/env python3
"""How near the vectors that we store and ask with are to float32.

    .venv/bin/python scripts/bench/embedding.py CORPUS [--lines] [--documents 1000] [--questions QA.json]

Embeds documents spread evenly over the corpus on the path that indexing takes on this machine and once more in
float32, and prints the mean and the least cosine: over chunks and over sentences, as computed and as stored (float16),
and over questions between the NumPy encoder that search uses and SentenceTransformer.encode.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from noderag_local.domain.documents import Document
from noderag_local.ingest.scan.scan import scan
from noderag_local.ingest.sync.read_files import read_documents
from noderag_local.models.embedding import sentence_transformer
from noderag_local.models.embedding.embedder import EmbeddedChunk, embedded
from noderag_local.models.embedding.model_files import WINDOW, model_folder
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.models.embedding.wordpieces import WordPieces
from noderag_local.models.llm.machine import physical_cores

Rows = NDArray[np.float32]


def passages(corpus: Path, by_lines: bool, documents: int) -> list[EmbeddedChunk]:
    """Chunks of documents spread evenly over the corpus."""
    count = WordPieces().count
    found = [
        document
        for file in scan([corpus], 1 << 40).files
        for document in read_documents(file, by_lines=by_lines, count_tokens=count)
        if isinstance(document, Document)
    ]
    step = max(1, len(found) // documents)
    return [
        EmbeddedChunk(document.title, tuple(sentence.text for sentence in chunk.sentences))
        for document in found[::step]
        for chunk in document.chunks
    ]


def vectors_of(texts: list[EmbeddedChunk], dtype: torch.dtype) -> tuple[Rows, Rows]:
    """(chunks, dim) and (sentences, dim)."""
    # Which type is the fastest is the embedder's own decision; here it is overruled.
    sentence_transformer.fastest_dtype = lambda: dtype
    vectors = embedded(sentence_transformer.SentenceTransformerEmbedder(physical_cores()), texts) or []
    return np.stack([one.chunk for one in vectors]), np.concatenate([one.sentences for one in vectors])


def tell(what: str, ours: Rows, exact: Rows) -> None:
    for stored, dtype in (("as computed", np.float32), ("as stored", np.float16)):
        rounded = ours.astype(dtype).astype(np.float32)
        cosines = (rounded * exact).sum(axis=1) / np.linalg.norm(rounded, axis=1) / np.linalg.norm(exact, axis=1)
        print(f"{what:10} {len(ours):6}  {stored:12} mean {cosines.mean():.6f}  least {cosines.min():.6f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--questions", type=Path)
    arguments = parser.parse_args()

    texts = passages(arguments.corpus, arguments.lines, arguments.documents)
    fastest = sentence_transformer.fastest_dtype()
    print(f"path of this machine: {fastest}")
    chunks, sentences = vectors_of(texts, fastest)
    exact_chunks, exact_sentences = vectors_of(texts, torch.float32)
    model = SentenceTransformer(str(model_folder()), device="cpu", local_files_only=True)
    model.max_seq_length = WINDOW
    tell("chunks", chunks, exact_chunks)
    tell("chunks/ST", chunks, np.asarray(model.encode([text.text() for text in texts])))
    tell("sentences", sentences, exact_sentences)
    if arguments.questions:
        asked = [entry["question"] for entry in json.loads(arguments.questions.read_text(encoding="utf-8"))]
        encoder = QuestionEncoder()
        tell("questions", np.stack([encoder.encode(one) for one in asked]), np.asarray(model.encode(asked)))


if __name__ == "__main__":
    main()
