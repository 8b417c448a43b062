"""Says what the requests to a language model would cost at the prices of a paid service, which the user gives."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.model_use import ModelUse

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a service for a million tokens, in any currency."""

    read: float
    """Price of the tokens of prompts."""
    written: float

    def cost(self, use: ModelUse) -> float:
        """Returns the price of a use; tokens that a cache spares are charged in full, as not every service spares them."""
        return (use.prompt_tokens * self.read + use.written_tokens * self.written) / MILLION
