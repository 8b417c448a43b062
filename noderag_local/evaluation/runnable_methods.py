"""Which methods a vault can serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noderag_local.domain.errors import LayerMissing, ModelMissing
from noderag_local.retrieval.retriever import method_names

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault

TRIED_TOKENS = 100
NOTHING_TO_SCORE = "It retrieves nothing: only answers of a language model (--answers) can be scored."


def runnable(vault: Vault, question: str, *, answered: bool) -> tuple[list[str], list[tuple[str, str]]]:
    """The methods that can be run, and (name, why not) of the others; found out by trying each.

    Args:
        answered: whether a language model will answer; else a method that retrieves nothing has nothing to show.
    """
    able, left_out = [], []
    for name in method_names():
        try:
            found = vault.search(question, method=name, budget_tokens=TRIED_TOKENS)
        except (LayerMissing, ModelMissing) as error:
            left_out.append((name, str(error)))
            continue
        if found.without_notes and not answered:
            left_out.append((name, NOTHING_TO_SCORE))
        else:
            able.append(name)
    return able, left_out
