"""Methods that ask the language model while they search, and the one that never searches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelMissing
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import turns
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.papers.lightrag.lightrag import MOST_KEYWORDS, keywords_by_rule, parse
from noderag_local.papers.noderag.noderag_paper import (
    SEARCHED,
    NodeRagPaper,
    NodeRagPaperLlm,
    NodeRagParameters,
    has_any_run,
)
from noderag_local.papers.noderag.question_names import MOST_ENTITIES, listed, names_by_rule
from noderag_local.retrieval.full_graph import read_full_graph
from noderag_local.retrieval.retriever import SearchContext, asks_model, method_class, method_names
from noderag_local.retrieval.written_by_model import written
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.vault.reader import Reader
from noderag_local.vault.vault import Vault

QUESTION = "Who is the spouse of Big Eye's main director?"
ASKING = [name for name in method_names() if asks_model(name)]
LIGHT = [name for name in ASKING if name.startswith("light-")]


@pytest.fixture(scope="module")
def silent(vault: Vault) -> Iterator[SearchContext]:
    """What the methods search in, without a model."""
    with Store.open(vault.folder, write=False) as store:
        reader = Reader(store, load_settings())
        indexes = {kind: VectorIndex.open(store, kind) for kind in (*SEARCHED, NodeType.PROFILE)}
        graph = read_full_graph(store, reader.graph_arrays.entities)
        encode = QuestionEncoder().encode_all
        yield SearchContext(
            store,
            lambda: reader.graph_arrays,
            lambda: reader.search_arrays,
            lambda: graph,
            lambda kind: indexes[kind],
            encode,
            None,
        )


def search(search_context: SearchContext, name: str, engine: ScriptedEngine, budget_tokens: int = 400) -> Retrieval:
    asked = replace(search_context, model=lambda: engine, layers={})
    return method_class(name)(asked).retrieve(QUESTION, budget_tokens)


def test_they_are_hyde_and_those_whose_paper_asks_for_keywords_or_entities() -> None:
    assert ASKING == [
        "noderag-paper-llm",
        "light-local-llm",
        "light-global-llm",
        "light-hybrid-llm",
        "light-mix-llm",
        "light-paper-llm",
        "hyde",
    ]


@pytest.mark.parametrize("method", ASKING)
def test_the_models_tokens_are_told_and_the_context_keeps_to_its_budget(silent: SearchContext, method: str) -> None:
    engine = ScriptedEngine("Low: Big Eye\nHigh: spouse of a film director")
    found = search(silent, method, engine)
    (request,) = engine.history
    assert QUESTION in request.messages[-1].content
    assert request.max_tokens <= 64
    read = sum(engine.count_tokens(message.content) for message in request.messages)
    assert found.llm_tokens > read
    assert (found.llm_use.calls, found.llm_use.prompt_tokens) == (1, read)
    assert 0 < found.tokens <= 400
    assert found.method == method


@pytest.mark.parametrize("method", ASKING)
def test_whatever_the_model_writes_there_is_a_context(silent: SearchContext, method: str) -> None:
    for reply in ("", "\n", "Low:\nHigh:", "I do not know.", "\x1b[31m"):
        assert search(silent, method, ScriptedEngine(reply)).tokens > 0


@pytest.mark.parametrize("method", ASKING)
def test_without_a_model_the_message_says_what_to_do(vault: Vault, method: str) -> None:
    with pytest.raises(ModelMissing, match="noderag models get"):
        vault.search(QUESTION, method=method)


def test_the_same_request_is_asked_once_and_costs_the_same_again(silent: SearchContext) -> None:
    engine = ScriptedEngine("A passage.")
    search_context = replace(silent, model=lambda: engine, layers={})
    hyde = method_class("hyde")(search_context)
    few, many = hyde.retrieve(QUESTION, 200), hyde.retrieve(QUESTION, 800)
    assert len(engine.history) == 1
    assert few.llm_use == many.llm_use
    assert (few.llm_use.calls, few.llm_tokens > 0) == (1, True)


def test_a_search_context_without_a_model_is_told(silent: SearchContext) -> None:
    with pytest.raises(ModelMissing, match="was given none"):
        written(silent, Request((Message(Role.USER, "Who?"),), 8))


def test_hyde_looks_between_the_question_and_the_made_up_passage(silent: SearchContext) -> None:
    passage = "The pike is a fish that lives in slow rivers."
    found = search(silent, "hyde", ScriptedEngine(passage))
    vector = silent.encode(QUESTION) + silent.encode(passage)
    vector /= np.linalg.norm(vector)
    ids, _ = silent.vector_index(NodeType.TEXT).search(vector[None], 1)
    arrays = silent.graph_arrays()
    (nearest,) = np.flatnonzero(arrays.chunks == ids[0, 0])
    first = np.flatnonzero(arrays.chunk_of == nearest)[0]
    assert found.ranked[0].node == arrays.sentences[first]
    assert found.seeds == ((passage, 1.0),)


def test_hyde_without_a_passage_is_plain_retrieval(silent: SearchContext) -> None:
    plain = method_class("naive")(silent).retrieve(QUESTION, 400)
    assert search(silent, "hyde", ScriptedEngine("")).context == plain.context


@pytest.mark.parametrize("method", LIGHT)
def test_keywords_as_the_rule_has_them_find_what_the_rule_finds(silent: SearchContext, method: str) -> None:
    ruled = keywords_by_rule(QUESTION, silent)
    plain = method_class(method.removesuffix("-llm"))(silent).retrieve(QUESTION, 400)
    reply = f"Low: {ruled.low}\nHigh: {ruled.high}"
    assert search(silent, method, ScriptedEngine(reply)).context == plain.context


def test_other_keywords_find_something_else(silent: SearchContext) -> None:
    one = search(silent, "light-hybrid-llm", ScriptedEngine("Low: Oslo\nHigh: birth of a king"))
    other = search(silent, "light-hybrid-llm", ScriptedEngine("Low: guitar\nHigh: album of a band"))
    assert one.context != other.context


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("Low: Big Eye, director\nHigh: marriage", ("Big Eye", "director"), ("marriage",)),
        ("- **High**: marriage.\n- **Low-level**: Big Eye; ", ("Big Eye",), ("marriage",)),
        ("Low: a, a, , b\nLow: c", ("a", "b"), ()),
        ("marriage", (), ()),
    ],
)
def test_keyword_lines(text: str, low: tuple[str, ...], high: tuple[str, ...]) -> None:
    levels = parse(text)
    assert (levels.get("low", ()), levels.get("high", ())) == (low, high)


def test_a_level_never_has_many_keywords() -> None:
    assert len(parse("Low: " + ", ".join(map(str, range(50))))["low"]) == MOST_KEYWORDS


def test_the_rule_leaves_no_level_empty(silent: SearchContext) -> None:
    assert keywords_by_rule("Big Eye?", silent).low == "Big Eye"
    assert keywords_by_rule("Big Eye?", silent).high == "Big Eye?"
    assert keywords_by_rule("which fish?", silent).low == "which fish?"


def starts(search_context: SearchContext, match: str, reply: str) -> set[str]:
    asked = replace(search_context, model=lambda: ScriptedEngine(reply), layers={})
    method = NodeRagPaperLlm(asked, NodeRagParameters(match=match))
    return {name for name, _ in method.retrieve(QUESTION, 400).seeds}


def test_the_entities_that_the_model_lists_are_matched_as_whole_names_or_by_words(silent: SearchContext) -> None:
    assert "Big Eyes" in starts(silent, "whole", "director, Big Eyes")
    assert "Big Eyes" not in starts(silent, "whole", "director, Big")
    assert "Big Eyes" in starts(silent, "words", "director, Big")
    assert "Big Eyes" not in starts(silent, "words", "director, Bi"), "a part of a word is no word"
    for match in ("whole", "words"):
        assert starts(silent, match, "") == starts(silent, match, "nothing that the notes name")


def test_the_rule_looks_for_whole_names_within_longer_ones(silent: SearchContext) -> None:
    assert names_by_rule("Which river did Geoffrey Hinton swim in?", silent).within == ("Geoffrey Hinton",)
    question = "What did Burton direct?"
    found = method_class("noderag-paper")(silent).retrieve(question, 400)
    whole = NodeRagPaper(silent, NodeRagParameters()).retrieve(question, 400)
    assert "Tim Burton" in {name for name, _ in found.seeds} - {name for name, _ in whole.seeds}


def test_a_title_is_found_by_words_that_stand_in_it_side_by_side() -> None:
    assert has_any_run(["the", "big", "eyes"], [["big", "eyes"]])
    assert not has_any_run(["big", "blue", "eyes"], [["big", "eyes"], []])
    assert not has_any_run(["big", "eyesore"], [["big", "eyes"]])


def test_what_the_rule_finds_and_the_model_lists_lead_to_the_same(silent: SearchContext) -> None:
    plain = method_class("noderag-paper")(silent).retrieve("Who directed Big Eyes?", 400)
    asked = replace(silent, model=lambda: ScriptedEngine("Big Eyes"), layers={})
    assert method_class("noderag-paper-llm")(asked).retrieve("Who directed Big Eyes?", 400).context == plain.context
    assert "Big Eyes" in names_by_rule("Who directed Big Eyes?", silent).names


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("When was backpropagation invented?", "backpropagation"),
        ("Which company was founded in Hull in 1931?", "1931"),
        ("他在北京大学学习 Sony 吗？", "北京大学"),
        ("Hull or hull?", "Hull"),
    ],
)
def test_names_without_capitals_are_looked_up_where_there_are_no_others_and_years_always(
    silent: SearchContext, question: str, name: str
) -> None:
    assert name in names_by_rule(question, silent).names


def test_words_in_small_letters_are_not_looked_up_beside_names(silent: SearchContext) -> None:
    assert "river" not in names_by_rule("Which river flows through Hull?", silent).names


def test_the_models_list_of_entities() -> None:
    assert listed("director, Big Eyes.\n- Paris, director,, ") == ("director", "Big Eyes", "Paris")
    assert len(listed(", ".join(map(str, range(50))))) == MOST_ENTITIES


def test_zero_shot_looks_for_nothing(vault: Vault) -> None:
    found = vault.search(QUESTION, method="zero-shot", budget_tokens=400)
    assert (found.context, found.tokens, found.sources, found.without_notes) == ("", 0, (), True)


def test_the_models_examples_leave_out_common_nouns() -> None:
    examples = [turn.content for turn in turns("papers.noderag", "question_entities") if turn.role is Role.ASSISTANT]
    assert examples == ["Big Eyes", "Eiffel Tower, Hanoi"]
