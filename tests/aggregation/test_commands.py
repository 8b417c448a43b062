"""A verb that commands is passed over; a word of the notes is not taken for one."""

from __future__ import annotations

import pytest

from noderag_local.aggregation.question_phrases import phrases


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Pinpoint the day I last saw Ana", "the day I last saw Ana"),
        ("Dredge up the day I last saw Ana", "the day I last saw Ana"),
        ("Ana the nurse lives where?", "Ana the nurse lives where?"),
        ("kettle – what did it cost me", "kettle – what did it cost me"),
        ("Which day did I last see Ana?", "Which day did I last see Ana?"),
        ("Pinpoint the day", "Pinpoint the day"),
        ("", ""),
    ],
)
def test_a_command_is_dropped(question: str, left: str) -> None:
    assert phrases("en").without_command(question, lambda word: word == "Ana") == left
