"""Semantic units in the model's words: written beside the sentences, searched, cited at them, and gone with them."""

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
from noderag_local.papers.noderag.noderag_paper import NodeRagPaper, NodeRagParameters
from noderag_local.papers.noderag.written_units import WrittenUnitStage
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import drop_part, plan
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.drawn_texts import DrawnTexts
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.llm_cache import LlmCache
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.vault.vault import Vault

SHARED = "Kiln Street was closed for Otto Lind."
NOTES = {
    "ada.md": "# Ada Berg\n\nShe moved to Oslo in 2019. She wrote Winter Songs with Bert Holm there.\n",
    "ben.md": f"# Bert Holm\n\nBert Holm runs a bakery in Porto. {SHARED}\n",
    "cleo.md": f"# Cleo Marin\n\nCleo Marin hides a ledger under Castle Rock.\n\n{SHARED}\n",
}
WRITTEN = "noderag-paper(units=written)"
_NUMBERED = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*|\d{4}")


def told(request: Request) -> str:
    """Writes as a model could: a statement for the names of each sentence, and a unit with its title in place of "she"."""
    asked = request.messages[-1].content
    if "\nIn other words:" in asked:
        title = asked.partition("Title: ")[2].partition("\n")[0]
        return asked.partition("Passage: ")[2].partition("\n")[0].replace("She", title)
    names = ((number, _NAME.findall(sentence.replace("She ", ""))) for number, sentence in _NUMBERED.findall(asked))
    return "\n".join(f"{number} {found[0]} | with | {found[-1]}" for number, found in names if len(found) > 1)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return written_notes(tmp_path / "notes", NOTES)


@pytest.fixture
def vault(tmp_path: Path, notes: Path, settings: Settings) -> Iterator[Vault]:
    with Vault(tmp_path / "vault", settings) as opened:
        opened.index([notes])
        write_units(opened)
        yield opened


def write_units(vault: Vault) -> ScriptedEngine:
    """Lets a scripted model read the notes and write the units; returns the engine with what it was asked."""
    vault.close()
    engine = ScriptedEngine(reply=told)
    with Store.open(vault.folder, write=True) as store:
        assert enrich(store, plan(lambda: SentenceTransformerEmbedder(1), "written"), engine, Budget()).is_complete
    return engine


def units(store: Store) -> dict[str, str]:
    """Text in the model's words by the sentences of each unit."""
    graph = GraphRows(store)
    ids, _, texts = graph.nodes_of(NodeType.SEMANTIC_UNIT)
    of = DrawnTexts(store, NodeType.WRITTEN_UNIT).of(ids.tolist())
    names = dict(zip(of, graph.names([*of.values()]), strict=True))
    return {text: names[unit] for unit, text in zip(ids.tolist(), texts, strict=True) if unit in names}


def test_each_unit_has_a_text_a_vector_and_the_sentences_that_it_may_tell_of(vault: Vault) -> None:
    with Store.open(vault.folder, write=False) as store:
        found = units(store)
        assert len(found) == len(GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)[0])
        assert any(text.startswith("Ada Berg moved to Oslo in 2019.") for text in found.values())
        assert not VectorRows(store).missing_nodes(NodeType.WRITTEN_UNIT)
        drawn = set(GraphRows(store).edges(EdgeType.DRAWN)[0].tolist())
        assert drawn == set(GraphRows(store).nodes_of(NodeType.WRITTEN_UNIT)[0].tolist())
    assert all(finding.ok for finding in vault.check())


@pytest.mark.parametrize(
    "invented",
    [
        "Ada Berg moved to Tokyo in 2019.",
        "Ada Berg moved to Oslo in 1999.",
        "",
        "\x1b[2J\x1b]0;owned\x07",
        "ß" * 5000,
        "1 Ada Berg | moved to | Oslo",
    ],
)
def test_what_the_notes_do_not_say_is_not_kept_and_the_sentences_stand(vault: Vault, invented: str) -> None:
    with Store.open(vault.folder, write=True) as store:
        (verbatim,) = (text for text in units(store) if "2019" in text)
        (node,) = (
            int(one)
            for one, text in zip(*GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)[::2], strict=True)
            if text == verbatim
        )
        with store.transaction():
            verdict = WrittenUnitStage().accept(store, node, invented)
        assert (verdict.accepted, verdict.rejected) == (0, 1)
        assert verbatim not in units(store)
    found = vault.search("When did Ada move to Oslo?", method=WRITTEN, budget_tokens=400)
    assert "She moved to Oslo in 2019." in found.context


def test_a_written_unit_is_searched_and_shown_and_cites_the_sentences_that_it_is_of(vault: Vault, notes: Path) -> None:
    question = "Ada Berg moved to Oslo"
    written = vault.search(question, method=WRITTEN, budget_tokens=400)
    verbatim = vault.search(question, method="noderag-paper", budget_tokens=400)
    assert "Ada Berg moved to Oslo in 2019." in written.context
    assert "Ada Berg moved to Oslo in 2019." not in verbatim.context
    (source,) = (one for one in written.sources if one.text.startswith("Ada Berg moved to Oslo"))
    read = (notes / "ada.md").read_bytes()[source.start_byte : source.end_byte].decode()
    assert source.path == str(notes / "ada.md")
    with Store.open(vault.folder, write=False) as store:
        assert units(store)[" ".join(read.split())] == source.text
    again = vault.search(question, method=WRITTEN, budget_tokens=400)
    assert (again.context, again.sources) == (written.context, written.sources)


@pytest.mark.parametrize("method", ["noderag-paper", WRITTEN])
def test_a_unit_that_stands_in_two_notes_cites_one_of_them(vault: Vault, method: str) -> None:
    only_units = method.rstrip(")").partition("(")
    asked = (
        f"{only_units[0]}({only_units[2]}{', ' * bool(only_units[2])}nearest=1, steps=0, named=false, cross_nodes=1)"
    )
    found = vault.search(SHARED, method=asked, budget_tokens=60)
    (source,) = (one for one in found.sources if SHARED in one.text)
    read = Path(source.path).read_bytes()[source.start_byte : source.end_byte].decode()
    assert SHARED in " ".join(read.split())
    assert source.first_line <= source.last_line <= len(Path(source.path).read_text("utf-8").splitlines())


def test_the_text_decides_what_is_near_to_a_question(vault: Vault) -> None:
    with Store.open(vault.folder, write=True) as store:
        found = dict(zip(*GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)[::2], strict=True))
        (node,) = (int(one) for one, text in found.items() if "bakery" in text)
        with store.transaction():
            key = "".join(GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)[1][list(found).index(node)])
            DrawnTexts(store, NodeType.WRITTEN_UNIT).put_text(key, "Bread, buns and rolls in the morning.", [node], [])
    write_units(vault)
    one = f"{WRITTEN[:-1]}, nearest=1, steps=0, named=false)"
    bread = vault.search("buns and rolls in the morning", method=one, budget_tokens=60)
    assert "Bread, buns and rolls" in bread.context


def test_nothing_is_asked_twice_and_dropped_texts_come_back_from_the_cache(vault: Vault) -> None:
    assert write_units(vault).history == []
    with Store.open(vault.folder, write=True) as store:
        before = digest(store)
        drop_part(store, WrittenUnitStage())
        assert units(store) == {}
        assert digest(store) != before
    assert write_units(vault).history == []
    with Store.open(vault.folder, write=False) as store:
        assert digest(store) == before


def test_a_changed_note_gives_the_graph_of_a_fresh_vault(
    vault: Vault, notes: Path, tmp_path: Path, settings: Settings
) -> None:
    (notes / "ada.md").write_text(
        "# Ada Berg\n\nShe moved to Madrid in 2020. She wrote Songs with Bert Holm.\n", "utf-8"
    )
    vault.index([notes])
    vault.close()
    with Store.open(vault.folder, write=False) as store:
        assert not any("Oslo" in text for text in units(store).values())
    asked = [request.messages[-1].content for request in write_units(vault).history]
    assert not any("bakery" in text for text in asked)
    with Vault(tmp_path / "fresh", settings) as fresh:
        fresh.index([notes])
        write_units(fresh)
        with Store.open(fresh.folder, write=False) as one, Store.open(vault.folder, write=False) as other:
            assert units(one) == units(other)
            assert digest(one) == digest(other)


def test_a_forgotten_note_leaves_nothing_and_a_shared_unit_is_written_from_the_other_note(
    vault: Vault, notes: Path, tmp_path: Path, settings: Settings
) -> None:
    with Store.open(vault.folder, write=False) as store:
        assert SHARED in units(store)
        asked = [text for (text,) in store.rows("SELECT name FROM nodes WHERE type = 'W'")]
        assert any("ledger" in text for text in asked)
    (notes / "cleo.md").rename(tmp_path / "cleo.md")
    vault.forget([notes / "cleo.md"])
    vault.close()
    with Store.open(vault.folder, write=False) as store:
        stored = "\n".join(
            str(value)
            for table in ("nodes", "facts", "llm_cache", "fragments", "work_items")
            for row in store.rows(f"SELECT * FROM {table}")
            for value in row
        )
        assert "ledger" not in stored and "Cleo" not in stored
    assert all(finding.ok for finding in vault.check())
    write_units(vault)
    with Vault(tmp_path / "fresh", settings) as fresh:
        fresh.index([notes])
        write_units(fresh)
        with Store.open(fresh.folder, write=False) as one, Store.open(vault.folder, write=False) as other:
            assert SHARED in units(other)
            assert units(one) == units(other)


def test_an_answer_that_was_refused_goes_with_the_note_that_the_model_was_shown(vault: Vault, notes: Path) -> None:
    vault.close()
    with Store.open(vault.folder, write=True) as store:
        drop_part(store, WrittenUnitStage())
        LlmCache(store).sweep()
        engine = ScriptedEngine(reply=nothing_that_the_notes_say)
        assert enrich(store, [WrittenUnitStage()], engine, Budget()).is_complete
        assert not len(GraphRows(store).nodes_of(NodeType.WRITTEN_UNIT)[0])
        assert any("bakery" in text for (text,) in store.rows("SELECT output FROM llm_cache"))
    vault.forget([notes / "ben.md"])
    vault.close()
    with Store.open(vault.folder, write=False) as store:
        assert SHARED in GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)[2]
        assert not any("bakery" in text for (text,) in store.rows("SELECT output FROM llm_cache"))


def nothing_that_the_notes_say(request: Request) -> str:
    """Repeats what the model was shown, in a sentence that no unit supports."""
    return f"Zebras read {' '.join(request.messages[-1].content.split())}".replace(".", ",")


def test_texts_go_with_their_units(vault: Vault) -> None:
    vault.close()
    with Store.open(vault.folder, write=True) as store:
        drop_part(store, Decomposition())
        assert not len(GraphRows(store).nodes_of(NodeType.WRITTEN_UNIT)[0])
        assert not GraphRows(store).has_edges(EdgeType.PROFILES)


def test_a_scope_leaves_out_texts_that_tell_of_notes_outside(vault: Vault, notes: Path) -> None:
    scope = Scope(folder=str(notes / "ben.md"))
    found = vault.search("Otto Lind and Cleo Marin", method=WRITTEN, budget_tokens=400, scope=scope)
    assert {source.path for source in found.sources} == {str(notes / "ben.md")}
    assert "Cleo" not in found.context


def test_the_stage_counts_only_where_its_texts_are_searched() -> None:
    assert "written-units" not in NodeRagPaper.stages_for(NodeRagParameters())
    assert "written-units" in NodeRagPaper.stages_for(NodeRagParameters(units="written"))
    assert NodeRagPaper.stages_for(NodeRagParameters(units="written", evidence="rules")) == ()
