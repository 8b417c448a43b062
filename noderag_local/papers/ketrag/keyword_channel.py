"""Searches the bipartite graph of texts and keywords (KET-RAG, sections 5.1 and 5.2, Algorithm 4, lines 2–4).

A keyword's vector is the mean vector of the sentences that contain it. The vector itself is not needed: its cosine with a
question is the sum of the sentences' cosines divided by the length of the sum of their vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.papers.graph_evidence.graph_pieces import GraphPieces
from noderag_local.papers.ketrag.sub_chunks import EQUAL_PARTS, SENTENCES, SubChunks, sub_chunks
from noderag_local.retrieval.closeness import inside_only
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.packing.budget_shares import Ranked
from noderag_local.retrieval.packing.packing_budget import Piece
from noderag_local.retrieval.packing.results import worth_reading
from noderag_local.retrieval.parameters import parameter
from noderag_local.retrieval.retriever import SearchContext


@dataclass(frozen=True)
class KeywordParameters:
    """Parameters of the keyword channel."""

    candidates: float = parameter(
        2.0,
        paper=2.0,
        meaning="tokens of the nearest keywords' sentences for each token of the channel's budget",
        least=1,
    )
    renormalised: float = parameter(
        0.5,
        paper=1.0,
        meaning="exponent that scales a keyword's mean vector towards length 1; 0 leaves it as it is, as the authors' code",
        most=1,
    )
    parts: str = parameter(
        SENTENCES,
        paper=EQUAL_PARTS,
        meaning="sub-chunks that keywords lead to: sentences, or equal parts of a chunk",
        choices=(SENTENCES, EQUAL_PARTS),
    )
    tau: int = parameter(
        0,
        paper=0,
        symbol="τ",
        meaning="a chunk has 2^τ equal parts; the paper has 0, 1, 2 and 3 for chunks of 150, 300, 600 and 1,200 tokens",
        most=6,
    )


class KeywordGraph:
    """The keywords of a vault and the sentences that contain them.

    Attributes:
        sentences_of: (k, n) 1 where a sentence contains a keyword.
        divisors: (k,) number by which the sum of a keyword's cosines is divided.
    """

    def __init__(self, arrays: GraphArrays, renormalised: float) -> None:
        self.sentences_of: sp.csr_matrix = arrays.keyword_edges.T.tocsr()
        frequencies = np.diff(self.sentences_of.indptr).astype(np.float32)
        lengths = np.linalg.norm(self.sentences_of @ arrays.sentence_vectors.astype(np.float32), axis=1)
        # |sum|^a · df^(1−a) = df · |mean|^a.
        divisors = np.power(lengths, renormalised) * np.power(frequencies, 1 - renormalised)
        self.divisors = np.where(lengths > 0, divisors, np.inf).astype(np.float32)


def keyword_graph(search_context: SearchContext, renormalised: float) -> KeywordGraph:
    """Builds the keyword graph of a vault, in 0.3 s for the 34,436 keywords of MuSiQue."""
    return KeywordGraph(search_context.graph_arrays(), renormalised)


def keyword_scores(
    search_context: SearchContext, cosines: NDArray[np.float32], renormalised: float
) -> NDArray[np.float32]:
    """Returns the similarity of each keyword to a question, (k,); −inf for keywords without a sentence in the scope.

    Args:
        search_context: the vault with the scope of the question.
        cosines: (n,) cosine of each sentence with the question.
        renormalised: exponent that scales a keyword's mean vector towards length 1.
    """
    graph = search_context.layer(keyword_graph, renormalised)
    scores = np.asarray(graph.sentences_of @ cosines, dtype=np.float32) / graph.divisors
    if search_context.inside is None:
        return scores
    return inside_only(scores, np.asarray(graph.sentences_of @ search_context.inside.sentences.astype(np.float32)) > 0)


@dataclass(frozen=True, slots=True)
class KeywordTexts:
    """Sentences of the sub-chunks that the nearest keywords lead to; sub-chunks nearest to the question first."""

    rows: NDArray[np.int64]
    """(m,) rows of the sentences in the graph arrays."""
    parts: NDArray[np.int64]
    """(m,) row of each sentence's sub-chunk."""
    cosines: NDArray[np.float32]
    """(m,) cosine of each sentence's sub-chunk with the question."""


def keyword_texts(
    search_context: SearchContext,
    keywords: NDArray[np.float32],
    cosines: NDArray[np.float32],
    options: KeywordParameters,
    channel_tokens: float,
) -> KeywordTexts:
    """Returns the texts of the keyword channel.

    Args:
        search_context: the vault with the scope of the question.
        keywords: (k,) scores from `keyword_scores`.
        cosines: (n,) cosine of each sentence with the question.
        options: parameters of the channel.
        channel_tokens: tokens that the channel has room for.
    """
    divided = search_context.layer(sub_chunks, options.parts, options.tau)
    near, inside = divided.cosines(cosines), search_context.inside
    is_inside = None if inside is None else np.asarray(divided.members @ inside.sentences.astype(np.float32)) > 0
    rows, parts = divided.sentences(
        keyword_parts(divided, is_inside, keywords, near, options.candidates * channel_tokens)
    )
    return KeywordTexts(rows, parts, near[parts])


def keyword_parts(
    divided: SubChunks,
    is_inside: NDArray[np.bool_] | None,
    keywords: NDArray[np.float32],
    cosines: NDArray[np.float32],
    candidate_tokens: float,
) -> NDArray[np.int64]:
    """Returns the rows of the sub-chunks with the nearest keywords, those nearest to the question first, ties by row.

    Args:
        divided: the sub-chunks.
        is_inside: (p,) which of them the scope allows; None: all.
        keywords: (k,) scores from `keyword_scores`.
        cosines: (p,) cosine of each sub-chunk with the question.
        candidate_tokens: keywords are added until their sub-chunks have this many tokens.
    """
    places = np.empty(len(keywords), dtype=np.int64)
    places[np.argsort(-keywords, kind="stable")] = np.arange(len(keywords))
    reached = _first_places(divided.keyword_edges, places)
    rows = np.flatnonzero((reached < len(keywords)) & (True if is_inside is None else is_inside))
    by_keyword = rows[np.argsort(reached[rows], kind="stable")]
    used = np.cumsum(divided.tokens[by_keyword])
    last = int(np.searchsorted(used, candidate_tokens))
    # The last keyword may exceed the limit; all its sub-chunks are used.
    found = rows if last >= len(rows) else rows[reached[rows] <= reached[by_keyword[last]]]
    return np.asarray(found[np.lexsort((found, -cosines[found]))], dtype=np.int64)


def nearest_keywords(search_context: SearchContext, keywords: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """Returns the node ids of the nearest keywords, nearest first."""
    return np.asarray(search_context.graph_arrays().keywords[top_rows(keywords, most)], dtype=np.int64)


def keyword_evidence(search_context: SearchContext, texts: KeywordTexts, budget_tokens: int) -> list[Ranked]:
    """Returns as many of the sub-chunks as a budget can hold, as evidence.

    Args:
        search_context: the vault with the scope of the question.
        texts: the texts of the channel, best first.
        budget_tokens: tokens that the context has room for.
    """
    arrays = search_context.graph_arrays()
    kept = worth_reading(texts.rows, search_context, budget_tokens)
    pieces = GraphPieces(search_context.store, arrays, search_context.inside).sentences(arrays.sentences[kept].tolist())
    of_part: dict[int, list[Piece]] = {}
    for part, piece in zip(texts.parts.tolist(), pieces, strict=False):
        of_part.setdefault(part, []).append(piece)
    return [(0.0, together) for together in of_part.values()]


def _first_places(edges: sp.csr_matrix, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns for each sub-chunk, (p,), the position of its best keyword; the number of keywords if it has none."""
    first = np.full(edges.shape[0], len(places), dtype=np.int64)
    some = np.flatnonzero(np.diff(edges.indptr))
    if len(some):
        first[some] = np.minimum.reduceat(places[edges.indices], edges.indptr[some])
    return first
