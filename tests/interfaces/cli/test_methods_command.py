"""`noderag methods`: the list, and the card of one method with its parameters."""

from __future__ import annotations

from helpers.command_line import Noderag

from noderag_local.retrieval.retriever import asks_model, method_names


def test_every_method_is_listed_and_those_that_ask_the_model_are_marked(noderag: Noderag) -> None:
    lines = noderag("methods").out.splitlines()
    marked = {line.split()[0] for line in lines if line.endswith("Asks the language model.")}
    assert {line.split()[0] for line in lines if not line.startswith(" ")} == set(method_names())
    assert marked == set(filter(asks_model, method_names()))


def test_a_method_is_explained_with_its_parameters(noderag: Noderag) -> None:
    shown = noderag("methods", "ket").out
    assert "Huang, Zhang and Xiao 2025" in shown
    assert "share of the chunks that are core chunks" in shown
    (card,) = noderag("methods", "ket", "--json").document["methods"]
    assert {"beta", "theta"} <= {one["name"] for one in card["parameters"]}
    assert noderag("methods", "oracle").code == 2


def test_help_names_the_methods_that_ask_the_model(noderag: Noderag) -> None:
    shown = " ".join(noderag("search", "--help").out.split())
    assert "Those that end in -llm, and hyde, ask the language model" in shown
    assert {name for name in method_names() if asks_model(name)} == {
        name for name in method_names() if name.endswith("-llm") or name == "hyde"
    }
