"""How much a language model was used: requests sent, tokens read and written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The use of a language model for a piece of work; uses of several pieces add up."""

    calls: int = 0
    """Number of requests."""
    prompt_tokens: int = 0
    """Tokens of all prompts, which a paid service charges for."""
    reused_tokens: int = 0
    """Tokens of the prompts that were still in the model's cache and not read again."""
    written_tokens: int = 0

    def __add__(self, other: ModelUse) -> ModelUse:
        return ModelUse(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.reused_tokens + other.reused_tokens,
            self.written_tokens + other.written_tokens,
        )

    @property
    def worked_tokens(self) -> int:
        """Number of tokens read and written, without those that were still in the cache."""
        return self.prompt_tokens - self.reused_tokens + self.written_tokens


NOTHING_ASKED = ModelUse()
"""The use of work that needs no language model."""
