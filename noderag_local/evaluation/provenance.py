"""What the results in a file were made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Making:
    """The vault and the model behind the rows of a file."""

    name: str
    """Of the vault, as a report calls it."""
    state: str
    """Of the vault: contexts of another state are others."""
    model: str
    """That answered; "" where none did."""
    documents: int
    corpus_tokens: int
    size_bytes: int
    """Of the vault on disk."""
    stage_tokens: Mapping[str, int]
    """Stage of enriching -> tokens that the language model read and wrote for what is there."""
    tokens_per_second: float = 0.0
    """At which the language model did so; 0 where that was not measured, or of more than one model."""
