"""What holds for every retrieval method, on a real vault."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import musique

from noderag_local.config import load_settings
from noderag_local.domain.errors import LayerMissing, SettingsError, VaultMissing
from noderag_local.evaluation.ranking import RankedDocument, ranked_documents
from noderag_local.storage.database.store import Store
from noderag_local.vault.vault import Vault

BUDGETS = (60, 400, 2000)
every_method = pytest.mark.parametrize("method", musique.INSTANT_METHODS)


@every_method
@pytest.mark.parametrize("tier", ["vault", "enriched"])
def test_never_over_budget_and_always_the_same(request: pytest.FixtureRequest, tier: str, method: str) -> None:
    vault: Vault = request.getfixturevalue(tier)
    for question in musique.questions():
        for budget in BUDGETS:
            first = vault.search(question["question"], method=method, budget_tokens=budget)
            again = vault.search(question["question"], method=method, budget_tokens=budget)
            assert 0 < first.tokens <= budget
            assert (first.context, first.sources, first.ranked) == (again.context, again.sources, again.ranked)


@every_method
def test_every_source_opens_at_its_passage(vault: Vault, method: str) -> None:
    data = musique.CORPUS.read_bytes()
    records = musique.records()
    found = vault.search("Who is the spouse of Big Eye's main director?", method=method, budget_tokens=400)
    assert found.sources
    for source in found.sources:
        record = records[source.record]
        assert Path(source.path) == musique.CORPUS
        assert source.first_line == source.last_line == source.record + 1
        assert source.title == record["title"]
        assert data[source.start_byte : source.end_byte].decode() == data.decode().splitlines()[source.record]
        for sentence in source.text.split(" … "):
            assert sentence in record["text"]


@every_method
def test_what_was_chosen_is_told_best_first(vault: Vault, method: str) -> None:
    for question in musique.questions():
        found = vault.search(question["question"], method=method, budget_tokens=2000)
        ranking = ranked_documents(found)
        # Sources are numbered by their best passage, although the context has the best one last.
        assert ranking == tuple(dict.fromkeys(RankedDocument(one.title, one.first_line) for one in found.sources))
        assert found.context.splitlines()[-1].startswith("[1] ")
        # noderag-paper chooses texts by the mass of their node and tells that of the sentence; ket-knn has neighbours in between.
        if method not in ("noderag-paper", "ket-knn"):
            numbers = range(1, min(5, len(found.sources)) + 1)
            firsts = [next(one.score for one in found.ranked if one.source == number) for number in numbers]
            assert firsts == sorted(firsts, reverse=True)


@every_method
def test_an_empty_vault_has_no_context(tmp_path: Path, method: str) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path)) as empty:
        empty.index([notes])
        if method == "bm25":
            assert empty.search("anything", method=method).sources == ()
        else:
            with pytest.raises(LayerMissing, match="vectors"):
                empty.search("anything", method=method)
        assert empty.search("anything").context == ""


@pytest.mark.parametrize(
    "question", ["", "   ", "?", "'\"*()-:^", "AND OR NOT NEAR(", "the of and", "\x00\ud800", "a" * 5000]
)
@every_method
def test_no_question_breaks_it(vault: Vault, method: str, question: str) -> None:
    assert vault.search(question, method=method, budget_tokens=200).tokens <= 200


def test_the_default_finds_more_second_hops_than_plain_retrieval(vault: Vault) -> None:
    def supported(method: str) -> int:
        return sum(
            set(question["supports"])
            <= {source.title for source in vault.search(question["question"], method=method, budget_tokens=600).sources}
            for question in musique.questions()
        )

    assert supported("noderag") > max(supported("naive"), supported("bm25"))


def test_reasons_add_up_to_the_score(vault: Vault) -> None:
    found = vault.search("Who is the sibling of the performer of Decade?", budget_tokens=400)
    assert found.seeds
    for ranked in found.ranked:
        assert sum(value for _, value in ranked.reasons) == pytest.approx(ranked.score, abs=1e-4)
    scores = [ranked.score for ranked in found.ranked]
    assert scores[0] == max(scores)


def test_an_unknown_method_is_named_with_those_that_exist(vault: Vault) -> None:
    with pytest.raises(SettingsError, match=r"'oracle'.*noderag, noderag-paper, .*naive, bm25"):
        vault.search("anything", method="oracle")


def test_nothing_indexed_yet(tmp_path: Path) -> None:
    with Vault(tmp_path / "none", load_settings()) as missing, pytest.raises(VaultMissing, match="noderag index"):
        missing.search("anything")


def test_before_there_are_vectors_full_text_answers(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("The spare key hangs behind the clock.", encoding="utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path)) as vault:
        stages: list[str] = []
        vault.index([note], progress=lambda now: stages.append(now.stage), cancelled=lambda: "embedding" in stages)
        assert vault.search("Where is the spare key?").method == "bm25"
        with Store.open(tmp_path / "vault", write=False) as store:
            assert store.value("SELECT count(*) FROM embeddings") == 0
