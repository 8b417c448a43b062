"""The vault and the model that results in a file were made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Making:
    """The vault and the model that made the rows of a file."""

    name: str
    """Name of the vault, as a report calls it."""
    state: str
    """State of the vault; another state gives other contexts."""
    model: str
    """Language model that answered; "" when none did."""
    documents: int
    corpus_tokens: int
    size_bytes: int
    """Size of the vault on disk."""
    stage_tokens: Mapping[str, int]
    """Maps each stage of enriching to the tokens that the language model read and wrote for it."""
    tokens_per_second: float = 0.0
    """Speed of the language model while enriching; 0 when it was not measured, or for several models."""
