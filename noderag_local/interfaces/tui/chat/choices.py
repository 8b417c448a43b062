"""The person's choices of how questions are asked."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.passages import EVERYTHING, Scope


@dataclass(frozen=True, slots=True)
class Choices:
    """Method, budget and scope for the questions until the interface closes."""

    method: str = ""
    """Name of the retrieval method; "" stands for that of the settings."""
    budget_tokens: int = 0
    """Tokens of context; 0 stands for the number in the settings."""
    scope: Scope = EVERYTHING
