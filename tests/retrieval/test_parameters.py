"""Parameters of methods: how they are written, checked, listed and swept, and that they change what is found."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.errors import SettingsError
from noderag_local.retrieval.cards import method_card
from noderag_local.retrieval.method_spec import MethodSpec, listed_specs, read_spec
from noderag_local.retrieval.parameters import at_paper_values, parameter, parameters_of, shown, with_values
from noderag_local.retrieval.retriever import asks_model, canonical, defaults_of, method_names, stages_used
from noderag_local.retrieval.variants import variants, with_assignments
from noderag_local.vault.vault import Vault

QUESTION = "Who is the spouse of Big Eye's main director?"


@dataclass(frozen=True, slots=True)
class Example:
    share: float = parameter(0.4, paper=0.5, symbol="θ", meaning="a share", most=1)
    most: int = parameter(40, paper=10, meaning="a number", least=1)
    whole: bool = parameter(False, meaning="a choice of two")
    order: str = parameter("rank", paper="lot", meaning="a word", choices=("rank", "lot"))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("ket", "ket"),
        ("ket()", "ket"),
        (" ket ( theta = 0.6 , beta = 0.5 ) ", "ket(beta=0.5, theta=0.6)"),
        ("ket(theta=0.60,beta=.5)", "ket(beta=0.5, theta=0.6)"),
        ("ket(theta=0.4, seeds=40, beta=0.5)", "ket(beta=0.5)"),
        ("ket(beta=1.0)", "ket(beta=1)"),
        ("ket(core=uniform)", "ket(core=uniform)"),
        ("ket-uniform(core=uniform)", "ket-uniform"),
        ("naive", "naive"),
    ],
)
def test_a_variant_has_one_name_however_it_is_written(written: str, name: str) -> None:
    assert canonical(written) == name
    assert canonical(name) == name


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("ket(gamma=1)", "no parameter 'gamma'"),
        ("naive(beta=1)", "It has none"),
        ("ket(beta=many)", "beta=many cannot be used: share of the chunks that are core chunks, 0 to 1"),
        ("ket(beta=1.2)", "0 to 1"),
        ("ket(beta=nan)", "0 to 1"),
        ("ket(seeds=2.5)", "at least 1"),
        ("ket(core=first)", "pagerank or uniform"),
        ("ket(beta)", "such as beta=0.6"),
        ("ket(beta=0.1, beta=0.2)", "twice"),
        ("ket(beta=0.1", "does not name a method"),
        ("", "does not name a method"),
        ("none(beta=0.1)", "There is no retrieval method 'none'"),
    ],
)
def test_what_cannot_be_used_is_told(written: str, told: str) -> None:
    with pytest.raises(SettingsError) as error:
        canonical(written)
    assert told in str(error.value)


def test_the_message_lists_the_parameters_with_their_meaning() -> None:
    with pytest.raises(SettingsError) as error:
        with_values(Example(), {"other": "1"}, "example")
    for listed in ("share (a share, 0 to 1, default 0.4)", "whole (a choice of two, true or false, default false)"):
        assert listed in str(error.value)


@given(share=st.floats(0, 1), most=st.integers(1), whole=st.booleans(), order=st.sampled_from(["rank", "lot"]))
def test_every_value_is_read_as_it_was_shown(share: float, most: int, whole: bool, order: str) -> None:
    values = Example(share, most, whole, order)
    texts = {one.name: shown(getattr(values, one.name)) for one in fields(values)}
    assert with_values(Example(), texts, "example") == values
    spec = MethodSpec("example", texts)
    assert read_spec(str(spec)) == spec


def test_a_preset_has_the_papers_values_where_the_paper_has_any() -> None:
    assert at_paper_values(Example) == Example(0.5, 10, False, "lot")


def test_commas_in_brackets_do_not_part_methods() -> None:
    assert listed_specs("ket(beta=0.5, theta=1), naive,,bm25") == ["ket(beta=0.5, theta=1)", "naive", "bm25"]


@pytest.mark.parametrize("method", method_names())
def test_every_default_and_paper_value_is_allowed_and_every_parameter_explained(method: str) -> None:
    assert is_dataclass(defaults_of(method))
    for one in parameters_of(defaults_of(method)):
        assert one.meaning
        for value in filter(lambda value: value is not None, (one.default, one.paper)):
            assert type(value) is type(one.default)
            assert one.read(shown(value)) == value


@pytest.mark.parametrize("method", method_names())
def test_every_method_has_a_card(method: str) -> None:
    card = method_card(method)
    assert card.summary.endswith(".")
    assert "Paper " in card.text
    assert card.asks_model == asks_model(method)


def test_set_changes_each_method_that_has_the_parameter() -> None:
    assert variants(["ket", "ket-knn", "naive"], ["beta=0.5"]) == ["ket(beta=0.5)", "ket-knn", "naive"]
    with pytest.raises(
        SettingsError, match="None of the methods has a parameter 'beta': ket-knn has common, neighbours; naive"
    ):
        variants(["ket-knn", "naive"], ["beta=0.5"])


def test_several_values_are_a_sweep() -> None:
    assert variants(["ket", "naive"], ["theta=0.2,0.4", "seeds=10,20"]) == [
        "ket(seeds=10, theta=0.2)",
        "ket(seeds=20, theta=0.2)",
        "ket(seeds=10)",
        "ket(seeds=20)",
        "naive",
    ]


def test_set_goes_before_what_the_name_says() -> None:
    assert with_assignments("ket(beta=0.2, theta=0.1)", ["beta=0.5"]) == "ket(beta=0.5, theta=0.1)"
    with pytest.raises(SettingsError, match="several values"):
        with_assignments("ket", ["theta=0.2,0.4"])


def test_stages_are_those_of_the_method_and_none_for_one_that_is_gone() -> None:
    assert stages_used("ket(beta=0.5)") == stages_used("ket") != ()
    assert stages_used("gone(beta=0.5)") == ()
    assert stages_used("ket(gone=0.5)") == stages_used("ket"), "a dump of another version"


def test_a_method_is_not_charged_for_stages_that_its_values_leave_unused() -> None:
    stored, found_here = stages_used("arch"), stages_used("arch(clustering=scan)")
    assert set(stored) > set(found_here)
    assert not any(stage.startswith("arch-level") for stage in found_here)
    for same in ("arch-spectral", "arch-plain", "arch-flat", "arch-entities", "arch(augment=false)", "arch(levels=2)"):
        assert stages_used(same) == found_here
    assert stages_used("arch-flat(levels=4)") == stages_used("arch-direct") == stages_used("arch(nearest=5)") == stored
    assert stages_used("ket(theta=0)") == stages_used("ket-keyword") == ()
    assert stages_used("ket(theta=1)") == stages_used("ket")
    assert (
        stages_used("light-paper")
        == stages_used("light-hybrid(profiles=true)")
        == ("decompose", "attributes", "profiles")
    )
    assert stages_used("light-paper(profiles=false)") == stages_used("light-hybrid") == ("decompose", "attributes")
    assert stages_used("light-paper(evidence=rules)") == stages_used("hippo(evidence=rules)") == ()
    assert stages_used("hippo(evidence=model)") == stages_used("hippo") == ("decompose",)


def test_without_names_the_walk_starts_elsewhere(vault: Vault) -> None:
    plain, without = (
        dict(vault.search("Who directed Big Eyes?", method=method, budget_tokens=1000).seeds)
        for method in ("noderag-paper", "noderag-paper(named=false)")
    )
    assert "Big Eyes" in plain
    assert "Big Eyes" not in without


@pytest.mark.parametrize(
    "variant",
    [
        "ket(theta=1)",
        "ket(beta=0.2, whole_up_to=0)",
        "ket(seeds=1)",
        "noderag-paper(steps=0)",
        "noderag-paper(teleport=0.9)",
        "noderag-paper(semantic_edges=false)",
        "hippo(teleport=0.9)",
        "light-hybrid(top_k=2)",
        "arch(nearest=1, one_end=0)",
    ],
)
def test_a_parameter_changes_the_context_and_the_result_names_it(vault: Vault, variant: str) -> None:
    plain = vault.search(QUESTION, method=read_spec(variant).name, budget_tokens=1000)
    changed = vault.search(QUESTION, method=variant, budget_tokens=1000)
    again = vault.search(QUESTION, method=variant, budget_tokens=1000)
    assert changed.method == canonical(variant)
    assert changed.context == again.context != plain.context
    assert 0 < changed.tokens <= 1000


def test_what_a_paper_does_not_give_has_no_value_of_the_paper() -> None:
    (levels,) = (one for one in parameters_of(defaults_of("arch-paper")) if one.name == "levels")
    assert levels.paper is None
