"""Searches as they are kept in a conversation."""

from __future__ import annotations

import json
from dataclasses import replace

from helpers.conversation_turns import TURN

from noderag_local.domain.model_use import ModelUse
from noderag_local.domain.passages import Filtering
from noderag_local.storage.conversations.turn_documents import retrieval_document, retrieval_of


def test_what_the_model_was_asked_comes_back() -> None:
    found = replace(TURN.found, llm_use=ModelUse(1, 20, 5, 3))
    assert retrieval_of(retrieval_document(found)) == found


def test_a_search_of_an_earlier_version_is_read_without_its_sum_of_tokens() -> None:
    kept = json.loads(retrieval_document(TURN.found))
    del kept["llm_use"]
    assert retrieval_of(json.dumps({**kept, "llm_tokens": 40})) == TURN.found


def test_filter_and_speakers_come_back() -> None:
    (source, *others) = TURN.found.sources
    told = replace(source, turns=((0, "Ada"),))
    found = replace(TURN.found, filtering=Filtering(100, ((1,), (2, 3))), sources=(told, *others))
    assert retrieval_of(retrieval_document(found)) == found


def test_a_search_of_before_speakers_and_filters_is_read() -> None:
    kept = json.loads(retrieval_document(TURN.found))
    del kept["filtering"]
    for source in kept["sources"]:
        del source["turns"], source["days"]
    assert retrieval_of(json.dumps({**kept, "filtered": False})) == TURN.found
