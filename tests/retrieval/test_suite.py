"""The default against the simplest search, on a small fixed excerpt of each kind of thing that people keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.evaluation.runs import run_questions
from noderag_local.evaluation.suite.matrix import SIMPLE_METHODS, MarkedSet, mark, matrix_rows
from noderag_local.evaluation.suite.suite_folder import SuiteCorpus, read_suite
from noderag_local.vault.vault import Vault

SUITE = read_suite(Path(__file__).parents[1] / "data" / "suite")
BUDGET_TOKENS = 250
"""So small that a method must choose: the smallest corpus has some 1,300 tokens."""


@pytest.fixture(scope="module", params=SUITE.corpora, ids=lambda corpus: corpus.name)
def marked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[MarkedSet]:
    """Every set of questions of a corpus, marked for the default and the simple methods."""
    corpus: SuiteCorpus = request.param
    settings = load_settings(models_dir=tmp_path_factory.mktemp("no-models"))
    methods = [settings.method, *SIMPLE_METHODS]
    sets = []
    with Vault(tmp_path_factory.mktemp("suite"), settings) as vault:
        vault.index([corpus.path], by_lines=corpus.by_lines)
        for asked in corpus.asked:
            marks: dict[tuple[str, int], list[float]] = {(name, BUDGET_TOKENS): [] for name in methods}
            for run in run_questions(vault, asked.questions, methods, [BUDGET_TOKENS], cancelled=lambda: False):
                marks[run.method, BUDGET_TOKENS].append(mark(run, asked.measure, corpus))
            sets.append(MarkedSet(asked, marks))
    return sets


def test_the_default_is_not_behind_the_best_simple_method(marked: list[MarkedSet]) -> None:
    """By less than one question: so few questions cannot tell a smaller difference."""
    for row in matrix_rows(marked, "noderag"):
        assert row.margin.mean > -100 / row.questions, row


def test_the_excerpt_has_every_kind() -> None:
    kinds = {corpus.name.partition("/")[0] for corpus in SUITE.corpora}
    assert kinds == {"conversations", "diary", "musique", "person", "xquad"}
    assert not SUITE.left_out
