"""The graph opens in other programs, with everything in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import networkx as nx
import pytest

from noderag_local.domain.errors import SourceError
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.edge_letters import TYPES
from noderag_local.vault.export.graph_file import write_graph


def test_networkx_reads_back_every_node_and_edge_with_its_type(sample: Path, tmp_path: Path) -> None:
    with Store.open(sample, write=False) as store:
        done = write_graph(store, tmp_path / "g.graphml", force=False)
        kinds = dict(store.rows("SELECT type, count(*) FROM edges GROUP BY type"))
        (nodes,), (chunks,), (sentences,) = (
            store.rows(f"SELECT count(*) FROM {table}")[0] for table in ("nodes", "chunks", "sentences")
        )
    graph = nx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    assert (done.nodes, done.edges) == (graph.number_of_nodes(), graph.number_of_edges())
    assert graph.number_of_nodes() == nodes
    found = Counter(said["type"] for _, _, said in graph.edges(data=True))
    assert found == {"contains": chunks + sentences, **{str(TYPES[letter]): number for letter, number in kinds.items()}}
    sentence = next(said for _, said in graph.nodes(data=True) if said["type"] == "sentence")
    assert sentence["path"].endswith((".md", ".txt")) and sentence["line"] >= 1
    assert all(said["label"] for _, said in graph.nodes(data=True) if said["type"] == "entity")


def test_no_edge_has_the_id_of_another(sample: Path, tmp_path: Path) -> None:
    with Store.open(sample, write=False) as store:
        write_graph(store, tmp_path / "g.graphml", force=False)
    keys = [key for *_, key in nx.read_graphml(tmp_path / "g.graphml", force_multigraph=True).edges(keys=True)]
    assert len(keys) == len(set(keys))


def test_a_file_that_is_there_stays_unless_it_may_be_replaced(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "g.graphml").write_text("mine", encoding="utf-8")
    with Store.open(sample, write=False) as store:
        with pytest.raises(SourceError, match="there already"):
            write_graph(store, tmp_path / "g.graphml", force=False)
        assert (tmp_path / "g.graphml").read_text(encoding="utf-8") == "mine"
        write_graph(store, tmp_path / "g.graphml", force=True)
    assert nx.read_graphml(tmp_path / "g.graphml").number_of_nodes()
