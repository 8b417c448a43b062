"""Canvases of Obsidian: cards under their groups, arrows as lines, links to notes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ingest.formats.known_text import DOCUMENTS, extracted
from ingest.formats.reading import document, documents, texts

from noderag_local.domain.documents import WikiLink
from noderag_local.domain.errors import DocumentError


def card(key: str, text: str, x: int = 0, y: int = 0) -> dict[str, Any]:
    return {"id": key, "type": "text", "text": text, "x": x, "y": y, "width": 100, "height": 50}


def canvas(*nodes: dict[str, Any], edges: list[dict[str, Any]] | None = None) -> str:
    return json.dumps({"nodes": nodes, "edges": edges or []})


def test_cards_stand_under_their_group_with_the_arrows_that_leave_them() -> None:
    read = extracted(DOCUMENTS / "terrace.canvas")
    assert [(block.headings, block.place, block.text) for block in read.blocks] == [
        ((), "card https://trees.example/nursery", "https://trees.example/nursery"),
        ((), "card https://trees.example/nursery", "https://trees.example/nursery – Second terrace: sells trees"),
        ((), "card Dig in November 2025, before the frost.", "Dig in November 2025, before the frost."),
        ((), "card Dig in November 2025, before the frost.", "Dig in November 2025, before the frost. → Second terrace"),
        ((), "group Second terrace", "Second terrace"),
        (("Second terrace",), "card Budget", "Budget"),
        (("Second terrace", "Budget"), "card Budget", "The second terrace costs 4,800 €, says Paula Reinke. #planting"),
        (("Second terrace", "Budget"), "card Budget", "40 trees"),
        (("Second terrace", "Budget"), "card Budget", "a fence"),
        (("Second terrace",), "card Budget", "Budget → Varieties > Boskoop: pays for"),
        (("Second terrace",), "card Varieties > Boskoop", "Varieties > Boskoop"),
    ]  # fmt: skip
    assert read.title == ""
    assert read.blocks[6].tags == ("planting",)
    assert read.blocks[6].links == (WikiLink("Paula Reinke", "Paula Reinke"),)
    assert read.blocks[9].links == read.blocks[10].links == (WikiLink("Varieties", "Varieties > Boskoop"),)


@pytest.mark.parametrize(
    ("ends", "sign"),
    [({}, "→"), ({"toEnd": "none"}, "–"), ({"fromEnd": "arrow"}, "↔"), ({"fromEnd": "arrow", "toEnd": "none"}, "←")],
)
def test_an_arrow_points_where_it_does_on_the_canvas(ends: dict[str, str], sign: str) -> None:
    edge = {"id": "e", "fromNode": "a", "toNode": "b", **ends}
    assert f"Ann {sign} Ben" in texts(
        document("canvas", canvas(card("a", "Ann"), card("b", "Ben"), edges=[edge]), "a.canvas")
    )


def test_cards_are_read_from_the_top_whatever_their_order_in_the_file() -> None:
    cards = [card("a", "last", y=300), card("b", "first"), card("c", "beside it", x=200)]
    for order in (cards, cards[::-1]):
        assert texts(document("canvas", canvas(*order), "a.canvas")) == ["first", "beside it", "last"]


def test_a_new_canvas_is_empty_and_has_no_fault() -> None:
    assert [read.blocks for data in ("", "{}") for read in documents("canvas", data, "a.canvas")] == [(), ()]


@pytest.mark.parametrize("data", ["[1]", "{", "[" * 100_000, '"text"'])
def test_other_json_is_no_canvas(data: str) -> None:
    with pytest.raises(DocumentError, match="JSON"):
        document("canvas", data, "a.canvas")


def test_fields_of_other_types_cost_themselves() -> None:
    broken = [{"id": 1, "type": "text", "text": ["x"], "x": "left"}, {"type": 7}, 5, card("a", "sound")]
    edges = [{"fromNode": "a"}, {"fromNode": [], "toNode": {}}, "x", {"fromNode": "a", "toNode": "a", "label": 5}]
    read = document("canvas", json.dumps({"nodes": broken, "edges": edges}), "a.canvas")
    assert texts(read)[-2:] == ["sound", "sound → sound: 5"]
