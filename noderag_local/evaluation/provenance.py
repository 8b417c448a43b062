"""Describes the vault and the model that made the results in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from noderag_local.domain.model_use import ModelUse
from noderag_local.domain.stage_progress import StageProgress


@dataclass(frozen=True, slots=True)
class Provenance:
    """The vault and the model that made the rows of a file."""

    name: str
    """Name of the vault in reports."""
    state: str
    """State of the vault; in another state, contexts may differ."""
    model: str
    """Language model that answered; "" if there are no answers."""
    documents: int
    corpus_tokens: int
    size_bytes: int
    """Size of the vault on disk."""
    stage_tokens: Mapping[str, int]
    """Tokens that the language model read and wrote in each stage of enriching."""
    tokens_per_second: float = 0.0
    """Speed of the language model while enriching; 0 if unknown or if several models were used."""
    stage_use: Mapping[str, ModelUse] = field(default_factory=dict)
    """Requests whose answers the vault's present results are made of, and their tokens read and written, as the model counted
    them, in each stage of enriching; empty for a file of an earlier version."""
    stages: tuple[StageProgress, ...] | None = None
    """How far each stage of enriching has come; None for a file of an earlier version."""
    identity: str | None = None
    """`Engine.identity` of the model; "" if there are no answers, None for a file of an earlier version."""
    answer_tokens: int | None = None
    """Maximum tokens of an answer; 0 if there are no answers, None for a file of an earlier version."""
    version: str | None = None
    """Version of noderag; None for a file of an earlier version that did not note it."""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Provenance:
        """Makes the record of the first line of a file; raises KeyError or TypeError if the line is something else."""
        use = {stage: ModelUse(**counts) for stage, counts in row.get("stage_use", {}).items()}
        stages = None if row.get("stages") is None else tuple(StageProgress(**stage) for stage in row["stages"])
        return cls(**{**row, "stage_use": use, "stages": stages})
