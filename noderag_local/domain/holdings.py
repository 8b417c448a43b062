"""Records about the content of a vault: its counts, and an item that is shown."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.graph import EdgeType, Layer, Neighbour, NodeType
from noderag_local.domain.passages import Source


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts and settings of a vault."""

    folder: str
    files: int
    documents: int
    chunks: int
    sentences: int
    tokens: int
    """Number of tokens of all sentences, by `tokenizer`."""
    nodes: tuple[tuple[NodeType, int], ...]
    edges: tuple[tuple[EdgeType, int], ...]
    embeddings: int
    size_bytes: int
    """Size of all files of the vault together."""
    embedding_model: str
    """Identity of the model that made the vectors."""
    coming_model: str
    """Identity of the model that is to make them anew; "" where no such work is unfinished."""
    tokenizer: str
    layers: tuple[Layer, ...]
    stage_tokens: tuple[tuple[str, int], ...]
    """(stage of enriching, tokens that the language model read and wrote for what it has made); stages in order of name."""
    model_rates: tuple[tuple[str, float], ...]
    """(model, tokens a second that it read and wrote here while enriching); those that were measured, by name."""
    state: str
    """Stamp of the vault's state; no other state of any vault has the same."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A document, an entity or a source, as `noderag show` prints it."""

    type: NodeType
    name: str
    kinds: tuple[tuple[str, str], ...]
    """(property, value) in the order to print: path, encoding, number of sentences …"""
    passages: tuple[Source, ...]
    """Text of a document, or the sentences that name an entity."""
    neighbours: tuple[Neighbour, ...]
