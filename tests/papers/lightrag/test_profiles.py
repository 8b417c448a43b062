"""LightRAG's profiles: written for every entity and relationship, kept current, searched, and gone with what they tell of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.note_files import written_notes

from noderag_local.config import Settings
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.passages import Scope
from noderag_local.extraction.statements.semantic_units import Decomposition
from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.papers.lightrag.profiles import ProfileStage
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.forecast import estimate
from noderag_local.pipeline.plan import drop_part, plan
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.profile_rows import ProfileRows, read_profile
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.vault.vault import Vault

NOTES = {
    "ada.md": "# Ada\n\nAda Berg lives in Oslo. Ada Berg wrote Winter Songs with Bert Holm.\n",
    "ben.md": "# Bert\n\nBert Holm runs a bakery in Porto. Bert Holm saw Ada Berg at Fjord Festival.\n",
    "cleo.md": "# Cleo\n\nCleo Marin hides a ledger under Castle Rock. Cleo Marin wrote to Ada Berg.\n",
}
_NUMBERED = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*")


def told(request: Request) -> str:
    """Writes as a model could: a statement for the names of each sentence, and profiles of the first note."""
    asked = request.messages[-1].content
    first_note = asked.partition("\n- ")[2].partition("\n")[0]
    if asked.startswith("Names:"):
        return f"shared work, places | {first_note.rstrip('.')}."
    if asked.startswith("Name:"):
        return f"{first_note.rstrip('.')}."
    names = ((number, _NAME.findall(sentence)) for number, sentence in _NUMBERED.findall(asked))
    return "\n".join(f"{number} {found[0]} | with | {found[-1]}" for number, found in names if len(found) > 1)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return written_notes(tmp_path / "notes", NOTES)


@pytest.fixture
def vault(tmp_path: Path, notes: Path, settings: Settings) -> Iterator[Vault]:
    with Vault(tmp_path / "vault", settings) as opened:
        opened.index([notes])
        profile(opened)
        yield opened


def profile(vault: Vault) -> ScriptedEngine:
    """Lets a scripted model read the notes and write profiles; returns the engine with what it was asked."""
    vault.close()
    engine = ScriptedEngine(reply=told)
    with Store.open(vault.folder, write=True) as store:
        assert enrich(store, plan(lambda: SentenceTransformerEmbedder(1), "light"), engine, Budget()).is_complete
    return engine


def asked_about(engine: ScriptedEngine) -> list[str]:
    """First lines of the requests for profiles."""
    contents = [request.messages[-1].content for request in engine.history]
    return sorted(content.partition("\n")[0] for content in contents if content.startswith("Name"))


def profiles(store: Store) -> dict[str, str]:
    """Text of each profile by its key."""
    _, keys, names = GraphRows(store).nodes_of(NodeType.PROFILE)
    return dict(zip(keys, names, strict=True))


def test_every_entity_and_relationship_of_the_model_has_a_profile_with_keys_and_a_vector(vault: Vault) -> None:
    with Store.open(vault.folder, write=False) as store:
        found = profiles(store)
        relationships = GraphRows(store).nodes_of(NodeType.RELATIONSHIP)[1]
        ends = {name for key in relationships for name in key.split(" | ")}
        assert set(found) == {f"R {key}" for key in relationships} | {f"N {key}" for key in ends}
        assert read_profile(found["R ada berg | oslo"]).keys == ("shared work", "places")
        assert read_profile(found["N ada berg"]).keys == ("Ada Berg",)
        assert "Ada Berg" in read_profile(found["N ada berg"]).text
        assert not VectorRows(store).missing_nodes(NodeType.PROFILE)
        drawn = GraphRows(store).edges(EdgeType.DRAWN)
        assert set(drawn[0].tolist()) == set(GraphRows(store).nodes_of(NodeType.PROFILE)[0].tolist())
    assert all(finding.ok for finding in vault.check())


def test_what_the_notes_do_not_say_is_not_in_a_profile(vault: Vault) -> None:
    with Store.open(vault.folder, write=True) as store:
        node = GraphRows(store).find(NodeType.RELATIONSHIP, ["ada berg | oslo"])["ada berg | oslo"]
        stage = ProfileStage()
        with store.transaction():
            verdict = stage.accept(store, node, "travel | Ada Berg flew to Tokyo in 1999.")
        made = read_profile(profiles(store)["R ada berg | oslo"])
    assert (verdict.accepted, verdict.rejected) == (0, 1)
    assert "Tokyo" not in made.text
    assert "Ada Berg with Oslo" in made.text
    assert made.keys == ("travel",)


def test_nothing_is_asked_twice_and_the_estimate_counts_what_is_left(vault: Vault, notes: Path) -> None:
    assert profile(vault).history == []
    (notes / "dora.md").write_text("# Dora\n\nDora Finn taught Emil Gray in Quito.\n", "utf-8")
    vault.index([notes])
    vault.close()
    with Store.open(vault.folder, write=True) as store:
        expected = estimate(store, plan(lambda: SentenceTransformerEmbedder(1), "light"), ScriptedEngine(), Budget())
    assert [(stage.name, stage.items) for stage in expected.stages] == [("decompose", 1), ("profiles", 0)]
    assert asked_about(profile(vault)) == ["Name: Dora Finn", "Name: Quito", "Names: Dora Finn; Quito"]


def test_a_changed_note_renews_the_profiles_that_told_of_it_and_the_graph_is_that_of_a_fresh_vault(
    vault: Vault, notes: Path, tmp_path: Path, settings: Settings
) -> None:
    (notes / "ben.md").write_text(
        "# Bert\n\nBert Holm runs a bakery in Porto. Bert Holm saw Ada Berg in Madrid.\n", "utf-8"
    )
    vault.index([notes])
    vault.close()
    with Store.open(vault.folder, write=False) as store:
        assert "Fjord" not in "".join(profiles(store).values())
    renewed = asked_about(profile(vault))
    assert "Names: Bert Holm; Madrid" in renewed
    assert "Names: Ada Berg; Oslo" not in renewed
    with Vault(tmp_path / "fresh", settings) as fresh:
        fresh.index([notes])
        profile(fresh)
        with Store.open(fresh.folder, write=False) as one, Store.open(vault.folder, write=False) as other:
            assert profiles(one) == profiles(other)
            assert digest(one) == digest(other)


def test_a_forgotten_note_takes_every_profile_with_it_that_may_tell_of_it(vault: Vault, notes: Path) -> None:
    with Store.open(vault.folder, write=False) as store:
        before = profiles(store)
    assert any("ledger" in text for text in before.values())
    vault.forget([notes / "cleo.md"])
    vault.close()
    with Store.open(vault.folder, write=False) as store:
        left = profiles(store)
        assert not any(word in text for text in left.values() for word in ("Cleo", "ledger", "Castle"))
        assert "R ada berg | oslo" in left
        stored = "\n".join(
            str(value)
            for table in ("nodes", "facts", "llm_cache", "fragments", "work_items")
            for row in store.rows(f"SELECT * FROM {table}")
            for value in row
        )
    assert "ledger" not in stored
    assert "Cleo" not in stored
    assert all(finding.ok for finding in vault.check())


def test_it_goes_also_when_its_chunk_was_read_again_without_the_statement(vault: Vault, notes: Path) -> None:
    vault.close()
    with Store.open(vault.folder, write=True) as store:
        (chunk,) = (number for number, text in store.rows("SELECT id, text FROM chunks") if "ledger" in text)
        with store.transaction():
            Decomposition().accept(store, chunk, "2 Cleo Marin | wrote to | Ada Berg")
        assert any("ledger" in text for text in profiles(store).values()), (
            "its entity is told of elsewhere in the chunk"
        )
    vault.forget([notes / "cleo.md"])
    vault.close()
    with Store.open(vault.folder, write=False) as store:
        assert not any("ledger" in text for text in profiles(store).values())


def test_profiles_of_relationships_go_with_them_and_those_of_other_entities_with_the_next_run(vault: Vault) -> None:
    vault.close()
    with Store.open(vault.folder, write=True) as store:
        drop_part(store, Decomposition())
        assert all(key.startswith("N ") for key in profiles(store))
        with store.transaction():
            stage = ProfileStage()
            assert list(stage.items(store)) == []
            stage.forget_others(store, [])
        assert profiles(store) == {}
        assert not GraphRows(store).has_edges(EdgeType.PROFILES)


def test_dropped_profiles_come_back_from_the_cache(vault: Vault) -> None:
    vault.close()
    with Store.open(vault.folder, write=True) as store:
        before = digest(store)
        drop_part(store, ProfileStage())
        assert profiles(store) == {}
    assert profile(vault).history == []
    with Store.open(vault.folder, write=False) as store:
        assert digest(store) == before


def test_the_paper_s_method_searches_and_shows_profiles_and_the_others_do_not(vault: Vault) -> None:
    question = "What did Ada Berg write?"
    paper = vault.search(question, method="light-paper(origin=false)", budget_tokens=400)
    plain = vault.search(question, method="light-paper(origin=false, profiles=false)", budget_tokens=400)
    assert NodeType.PROFILE in {one.type for one in paper.ranked}
    assert NodeType.PROFILE not in {one.type for one in plain.ranked}
    assert "shared work, places" in {source.title for source in paper.sources}
    rules = vault.search(question, method="light-paper(evidence=rules)", budget_tokens=400)
    assert NodeType.PROFILE not in {one.type for one in rules.ranked}


def test_themes_find_relationships_by_their_keys(vault: Vault) -> None:
    with Store.open(vault.folder, write=True) as store:
        node = GraphRows(store).find(NodeType.RELATIONSHIP, ["bert holm | porto"])["bert holm | porto"]
        with store.transaction():
            ProfileStage().accept(store, node, "bread, craft of baking | Bert Holm runs a bakery in Porto.")
    profile(vault)
    found = vault.search("craft of baking bread", method="light-global(profiles=true, origin=false)", budget_tokens=400)
    with Store.open(vault.folder, write=False) as store:
        shown = [read_profile(name).keys for name in GraphRows(store).names([one.node for one in found.ranked])]
    assert next(keys for keys in shown if len(keys) > 1) == ("bread", "craft of baking")


def test_a_scope_leaves_out_profiles_that_tell_of_notes_outside(vault: Vault, notes: Path) -> None:
    scope = Scope(folder=str(notes / "ben.md"))
    found = vault.search("Bert Holm and Ada Berg", method="light-paper", budget_tokens=400, scope=scope)
    shown = {one.node for one in found.ranked if one.type is NodeType.PROFILE}
    with Store.open(vault.folder, write=False) as store:
        of = ProfileRows(store).of([int(node) for node in GraphRows(store).nodes_of(NodeType.ENTITY)[0]])
        ada = GraphRows(store).find(NodeType.ENTITY, ["ada berg"])["ada berg"]
    assert of[ada] not in shown
    assert "Oslo" not in found.context
