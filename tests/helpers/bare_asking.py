"""The parts of a vault for asking, of which a test sets only what it needs: the others find nothing."""

from __future__ import annotations

from typing import Any

from noderag_local.vault.ask import VaultAsking


def bare_asking(**parts: Any) -> VaultAsking:
    """Returns the parts; see `VaultAsking` for their names."""
    nothing: dict[str, Any] = {
        "compute": lambda _: None,
        "follow": lambda _: None,
        "in_usual_form": lambda _: "",
        "is_worth_rewording": lambda _: False,
        "with_told_months": lambda question: question,
        "namesakes": lambda _: (),
        "survey": lambda _: None,
        "table": lambda _: None,
        "to_judge": lambda _: None,
        "budget_tokens": 1000,
        "is_default": True,
        "answer_tokens": 100,
        "progress": lambda _: None,
        "cancelled": lambda: False,
    }
    return VaultAsking(**(nothing | parts))
