"""A search that keeps to part of the notes: nothing outside is ever in its context."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest
from helpers import musique
from helpers.note_files import written_notes

from noderag_local.config import load_settings
from noderag_local.domain.errors import NotFound, SettingsError
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import EVERYTHING, Scope
from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import plan
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.llm_cache import CachedText, LlmCache
from noderag_local.vault.vault import Vault

every_method = pytest.mark.parametrize("method", musique.INSTANT_METHODS)

NOTES = {
    "work/roof.md": "---\ntags: [project/house]\n---\nMarta Oliveira repairs the roof in spring. The roof is of slate.\n",
    "work/2024-03-05 meeting.md": "Marta Oliveira wants the roof paid in advance. #money\n",
    "private/garden.md": "Marta Oliveira has a garden with a roof of ivy. The garden is in Porto. #Project\n",
    "private/2023-11.md": "In November the roof leaked, and Jonas Weber came with buckets.\n",
    "work2/other.md": "Another roof, of copper, is on the town hall.\n",
}
QUESTION = "What does Marta Oliveira say about the roof?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notes; files without a date in their name were changed on 1 June 2024."""
    made = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        path = made / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        changed = datetime(2024, 6, 1, 12).timestamp()
        os.utime(path, (changed, changed))
    return made


@pytest.fixture(scope="module")
def filed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """Searched only."""
    settings = load_settings(models_dir=tmp_path_factory.mktemp("no-models"))
    with Vault(tmp_path_factory.mktemp("filed"), settings) as made:
        made.index([folder])
        yield made


def found_in(vault: Vault, scope: Scope, method: str = "noderag") -> set[str]:
    """Names of the files in a context that has room for all notes."""
    found = vault.search(QUESTION, method=method, budget_tokens=2000, scope=scope)
    return {Path(source.path).name for source in found.sources}


RANKS_EVERYTHING = ("noderag", "noderag-paper", "naive", "bm25")


@every_method
@pytest.mark.parametrize(
    ("scope", "inside"),
    [
        (Scope(folder="work"), {"roof.md", "2024-03-05 meeting.md"}),
        (Scope(folder="private/garden.md"), {"garden.md"}),
        (Scope(tag="money"), {"2024-03-05 meeting.md"}),
        (Scope(tag="#project"), {"roof.md", "garden.md"}),
        (Scope(tag="PROJECT/house/"), {"roof.md"}),
        (Scope(since=date(2024, 6, 1)), {"roof.md", "garden.md", "other.md"}),
        (Scope(until=date(2024, 3, 5)), {"2024-03-05 meeting.md", "2023-11.md"}),
        (Scope(since=date(2023, 11, 30), until=date(2023, 11, 30)), {"2023-11.md"}),
        (Scope(folder="work", since=date(2024, 6, 1)), {"roof.md"}),
        (Scope(folder="private", tag="project", until=date(2024, 5, 31)), set()),
    ],
)
def test_a_context_holds_what_is_inside_and_nothing_else(
    filed: Vault, method: str, scope: Scope, inside: set[str]
) -> None:
    found = found_in(filed, scope, method)
    assert found <= inside
    # The others find only what hangs together with the question's names or theme.
    assert found == inside if method in RANKS_EVERYTHING else bool(found) == bool(inside)
    assert filed.atlas.count_in(scope) == len(inside)


def test_days_are_those_that_the_notes_tell_before_that_of_the_last_change(tmp_path: Path) -> None:
    mail = "From: a@b.example\nDate: Fri, 08 May 2026 23:30:00 +0200\nSubject: Roof\n\nIt leaks.\n"
    told = {
        "told.md": "---\ndate: 2026-05-03\n---\nThe roof leaked.\n",
        "2026-05-10.md": "---\ncreated: 2026-05-04\n---\nThe roof is dry.\n",
        "mail.eml": mail,
        "copied.md": "The roof was copied.\n",
    }
    notes = written_notes(tmp_path / "notes", told)
    for path in notes.iterdir():
        os.utime(path, (datetime(2026, 8, 1, 12).timestamp(),) * 2)
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path)) as vault:
        vault.index([notes])
        for day, name in ((3, "told.md"), (8, "mail.eml"), (10, "2026-05-10.md")):
            scope = Scope(since=date(2026, 5, day), until=date(2026, 5, day))
            assert found_in(vault, scope) == {name}
        assert found_in(vault, Scope(since=date(2026, 7, 1))) == {"copied.md"}


@every_method
def test_an_empty_scope_changes_nothing(filed: Vault, method: str) -> None:
    without = filed.search(QUESTION, method=method, budget_tokens=100)
    within = filed.search(QUESTION, method=method, budget_tokens=100, scope=EVERYTHING)
    assert (within.context, within.ranked, within.seeds) == (without.context, without.ranked, without.seeds)


@every_method
def test_a_scope_of_all_documents_finds_what_a_search_without_one_does(filed: Vault, method: str) -> None:
    without = filed.search(QUESTION, method=method, budget_tokens=100)
    within = filed.search(QUESTION, method=method, budget_tokens=100, scope=Scope(until=date(2999, 1, 1)))
    assert within.context == without.context


def test_the_search_starts_from_nothing_outside(filed: Vault) -> None:
    found = filed.search("Who came with buckets to Porto?", scope=Scope(folder="work"))
    started = " ".join(name for name, _ in found.seeds)
    assert started and not re.search("Porto|Jonas|buckets|copper", started)


def test_a_folder_is_found_from_here_from_home_and_from_what_was_indexed(
    filed: Vault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for named in ("work", "work/", "Work", str(folder / "work"), str(folder / "WORK"), f"{folder.name}/work"):
        assert filed.atlas.count_in(Scope(folder=named)) == 2, named
    monkeypatch.setenv("HOME", str(folder))
    assert filed.atlas.count_in(Scope(folder="~/private")) == 2
    monkeypatch.chdir(folder / "private")
    assert filed.atlas.count_in(Scope(folder="garden.md")) == 1
    assert filed.atlas.count_in(Scope(folder="..")) == 5


def test_capitals_tell_folders_apart_where_there_are_two(tmp_path: Path) -> None:
    for name in ("Trips", "trips"):
        (tmp_path / "notes" / name).mkdir(parents=True)
        (tmp_path / "notes" / name / "porto.md").write_text("In Porto it rained.\n")
    if len(list((tmp_path / "notes").iterdir())) == 1:
        pytest.skip("the file system does not tell them apart")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path)) as vault:
        vault.index([tmp_path / "notes"])
        assert vault.atlas.count_in(Scope(folder="trips")) == 1
        assert vault.atlas.count_in(Scope(folder="TRIPS")) == 2


def test_a_settled_folder_never_means_another_one(tmp_path: Path) -> None:
    for name in ("one/work", "two/work"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "porto.md").write_text("In Porto it rained.\n")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path)) as vault:
        vault.index([tmp_path / "one", tmp_path / "two"])
        with pytest.raises(SettingsError, match="several folders"):
            vault.atlas.settled(Scope(folder="work"))
        settled = vault.atlas.settled(Scope(folder=str(tmp_path / "one/WORK")))
        assert settled.folder == str(tmp_path / "one/work")
        vault.forget([tmp_path / "one"])
        for gone in (settled, Scope(folder=str(tmp_path / "TWO/work"), is_settled=True)):
            with pytest.raises(NotFound):
                vault.atlas.count_in(gone)


def test_accents_are_the_same_however_they_are_spelt(tmp_path: Path) -> None:
    (tmp_path / "notes/Ku\u0308che").mkdir(parents=True)
    (tmp_path / "notes/Ku\u0308che/Herd.md").write_text(
        "---\ntags: [ka\u0308se]\n---\nDer Herd ist neu.\n", encoding="utf-8"
    )
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "no-models")) as vault:
        vault.index([tmp_path / "notes"])
        assert vault.atlas.count_in(Scope(folder="Küche")) == 1
        assert vault.atlas.count_in(Scope(tag="Käse")) == 1


def test_names_that_nothing_has_are_told_with_those_that_there_are(filed: Vault, folder: Path) -> None:
    with pytest.raises(NotFound, match=re.escape(str(folder))):
        filed.search(QUESTION, scope=Scope(folder="wrok"))
    with pytest.raises(NotFound, match="project"):
        filed.search(QUESTION, scope=Scope(tag="projekt"))
    with pytest.raises(SettingsError, match="swap"):
        filed.search(QUESTION, scope=Scope(since=date(2024, 2, 1), until=date(2024, 1, 1)))


def test_what_a_scope_may_name(filed: Vault, folder: Path) -> None:
    choices = filed.atlas.scope_choices()
    assert choices.folders == tuple(str(folder / name) for name in ("", "private", "work", "work2"))
    assert set(choices.tags) == {"Project", "project/house", "money"}
    assert choices.documents == len(NOTES)


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """The excerpt of MuSiQue in two folders, read by the language model: its statements are recorded, its summaries are
    stretches of what it was given, so that every name in them stands in the notes."""
    folder = tmp_path_factory.mktemp("halves")
    lines = musique.CORPUS.read_text(encoding="utf-8").splitlines(keepends=True)
    for name, half in (("even", lines[::2]), ("odd", lines[1::2])):
        (folder / name).mkdir()
        (folder / name / "corpus.jsonl").write_text("".join(half), encoding="utf-8")

    def summary(request: Request) -> str:
        notes, asks_for_titles, _ = request.messages[-1].content.partition("Lines:")
        last = notes.strip().splitlines()[-1].lstrip("- ")
        return f"{' '.join(last.split()[:4])} | {last}" if asks_for_titles else notes[-300:]

    engine = ScriptedEngine(name="recorded", reply=summary)
    settings = load_settings(models_dir=tmp_path_factory.mktemp("no-models"))
    with Vault(tmp_path_factory.mktemp("vault"), settings) as made:
        made.index([folder])
        with Store.open(made.folder, write=True) as store:
            for answer in (one for one in musique.answers() if one["prompt"].startswith("decompose")):
                cached = CachedText(answer["output"], 0, 0)
                LlmCache(store).put(engine.identity, answer["prompt"], answer["input_hash"], cached)
            enrich(store, plan(lambda: SentenceTransformerEmbedder(1)), engine, Budget())
        yield made


def names(text: str) -> set[str]:
    """Words with a capital: statements have other words that stand nowhere in the notes."""
    return set(re.findall(r"\b[A-Z][^\W\d_]{3,}", text))


@pytest.mark.parametrize(
    ("method", "made"),
    [
        ("noderag", {NodeType.RELATIONSHIP}),
        ("ket", {NodeType.RELATIONSHIP}),
        ("ket-skeleton", {NodeType.RELATIONSHIP}),
        ("hybrid", {NodeType.RELATIONSHIP}),
        ("hippo", {NodeType.SENTENCE}),
        ("ket-keyword", {NodeType.SENTENCE}),
        (
            "noderag-paper",
            {NodeType.SEMANTIC_UNIT, NodeType.RELATIONSHIP, NodeType.ATTRIBUTE, NodeType.HIGH_LEVEL_ELEMENT},
        ),
    ],
)
def test_what_the_language_model_made_of_notes_outside_stays_outside(
    halves: Vault, method: str, made: set[NodeType]
) -> None:
    kinds: set[NodeType] = set()
    texts = [" ".join(f"{one['title']} {one['text']}" for one in musique.records()[half::2]) for half in (0, 1)]
    for folder, inside, outside in (("even", *texts), ("odd", *reversed(texts))):
        only_outside = {name for name in names(outside) if name not in inside}
        for question in musique.questions():
            words = question["question"]
            found = halves.search(words, method=method, budget_tokens=2000, scope=Scope(folder=folder))
            kinds |= {ranked.type for ranked in found.ranked}
            assert all(Path(source.path).parent.name == folder for source in found.sources)
            assert names(found.context) & only_outside == set()
            assert names(" ".join(seed for seed, _ in found.seeds)) & only_outside == set()
    assert made <= kinds
