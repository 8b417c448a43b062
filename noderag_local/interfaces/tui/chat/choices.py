"""How questions are asked from now on."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.passages import EVERYTHING, Scope


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person has chosen for the questions of this sitting."""

    method: str = ""
    """"" is the settings' one."""
    budget_tokens: int = 0
    """0 is the settings' one."""
    scope: Scope = EVERYTHING
