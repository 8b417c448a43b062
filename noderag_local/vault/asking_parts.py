"""Collects the parts of a vault that answer a question, for one method and one scope."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TypeVar

from noderag_local.config import Settings
from noderag_local.domain.passages import Retrieval, Scope
from noderag_local.models.llm.engine import Engine
from noderag_local.retrieval.retriever import canonical
from noderag_local.vault.ask import AskProgress, VaultAsking
from noderag_local.vault.computing import (
    COMPUTING_METHOD,
    answered_by_computing,
    followed_to_person,
    in_usual_form,
    notes_for_judging,
    passages_to_survey,
    people_called,
    rewording_may_help,
    with_told_months,
)
from noderag_local.vault.one_state import OneState
from noderag_local.vault.reader import Reader
from noderag_local.vault.table_questions import table_question

RESULTS_KEPT = 4
"""Results of each part for one question that are kept."""
_Found = TypeVar("_Found")


def asking_parts(
    read: Callable[[], Reader],
    in_one_state: OneState,
    search: Callable[[str, int, Sequence[int]], Retrieval],
    search_to_survey: Callable[[str, int], Retrieval],
    settings: Settings,
    open_engine: Callable[[], Engine | None],
    *,
    method: str,
    budget_tokens: int,
    scope: Scope,
    short: bool,
    progress: Callable[[AskProgress], None],
    cancelled: Callable[[], bool],
) -> VaultAsking:
    """Returns the parts.

    Args:
        read: opens the vault.
        in_one_state: lets each part read one state of the vault.
        search: as in `VaultAsking`.
        search_to_survey: returns the passages for an overview within a number of tokens.
        settings: settings of the vault.
        open_engine: as in `VaultAsking`.
        method: name and parameters of the retrieval method; "" means that of the settings.
        budget_tokens: maximum tokens of a context; 0 means the value of the settings.
        scope: documents outside it are not looked at.
        short: whether the answer is a short phrase without citations.
        progress: as in `VaultAsking`.
        cancelled: as in `VaultAsking`.
    """

    def kept(part: Callable[[str], _Found]) -> Callable[[str], _Found]:
        """Reads one state of the vault, and the same question only once: whether to reword it depends on what each part finds."""
        return lru_cache(maxsize=RESULTS_KEPT)(in_one_state.keeping(part))

    # The table of a question is chosen by the search whose passages are read if the table does not tell.
    search = lru_cache(maxsize=RESULTS_KEPT)(search)
    chosen, tokens = canonical(method or settings.method), budget_tokens or settings.budget_tokens
    return VaultAsking(
        compute=kept(partial(answered_by_computing, read, chosen, scope, short)),
        follow=kept(partial(followed_to_person, read, chosen, scope)),
        in_usual_form=kept(partial(in_usual_form, read, chosen, scope)),
        is_worth_rewording=kept(partial(rewording_may_help, read, chosen, scope)),
        with_told_months=kept(partial(with_told_months, read, chosen, scope)),
        namesakes=kept(partial(people_called, read, scope)),
        survey=kept(partial(passages_to_survey, read, search_to_survey, chosen, scope, tokens)),
        table=kept(partial(table_question, read, lambda asked: search(asked, tokens, ()), chosen, scope)),
        to_judge=kept(partial(notes_for_judging, read, chosen, scope)),
        search=search,
        budget_tokens=tokens,
        is_default=chosen == COMPUTING_METHOD,
        open_engine=open_engine,
        answer_tokens=settings.answer_tokens,
        progress=progress,
        cancelled=cancelled,
    )
