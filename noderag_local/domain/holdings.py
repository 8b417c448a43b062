"""Records about the content of a vault: its counts, and an item that is shown."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.graph import EdgeType, Layer, Neighbour, NodeType
from noderag_local.domain.model_use import ModelUse
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
    """Identity of the model that is replacing the vectors; "" if they are not being replaced."""
    tokenizer: str
    layers: tuple[Layer, ...]
    stage_use: tuple[tuple[str, ModelUse], ...]
    """(stage of enriching, use of the language model for its present results), ordered by stage."""
    model_rates: tuple[tuple[str, float], ...]
    """(model, tokens read and written a second while enriching this vault) of all measured models, ordered by name."""
    state: str
    """Random text that identifies this state of the vault; no two states have the same."""


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
