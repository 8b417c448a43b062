"""What counts as quoting a document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.conversation_turns import SOURCE, TURN

from noderag_local.domain.passages import Scope
from noderag_local.storage.conversations.conversations import Conversations, Turn
from noderag_local.storage.forgetting.quotations import Quoted, quoting

BARE = replace(TURN, found=replace(TURN.found, context="", sources=(), seeds=()))


@pytest.mark.parametrize(
    ("turn", "quotes"),
    [
        (TURN, True),
        (BARE, False),
        (replace(BARE, scope=Scope(folder="/notes/trips")), True),
        (replace(BARE, scope=Scope(folder="/notes")), False),
        (replace(BARE, question="What does /notes/trips/porto.md say?"), True),
        (replace(BARE, found=replace(BARE.found, seeds=(("Pensão Favorita", 1.0),))), True),
        (replace(BARE, found=replace(BARE.found, seeds=(("Porto", 1.0),))), False),
        (replace(BARE, answer="They stayed at the Pensão Favorita."), False),
        (replace(BARE, answer="Marta  recommended\nthe old pensão, [1] they say."), True),
        (replace(BARE, answer="Marta recommended the old house."), False),
        (replace(BARE, answer="It rained on all of the days."), False),
    ],
)
def test_a_turn_quotes_by_its_sources_its_scope_its_start_and_its_words(
    tmp_path: Path, turn: Turn, quotes: bool
) -> None:
    talks = Conversations(tmp_path)
    number = talks.add(None, BARE).id
    talks.add(number, turn)
    runs = frozenset({"pensão favorita", "marta recommended the old pensão", "rained on all of the days"})
    quoted = Quoted(("/notes/trips",), runs, lambda run: "rained" not in run)
    assert SOURCE.path.startswith("/notes/trips/")
    assert [one.id for one in quoting(talks, quoted)] == [number] * quotes
