"""Jupyter notebooks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ingest.formats.reading import document, texts

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.domain.errors import DocumentError

LONG = "0.5 " * 500
CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "source": ["# Apples\n", "Weighed in [[Lindenau]]. #fruit\n", "\n", "- one\n", "- two"]},
    {
        "cell_type": "code",
        "source": "weights.mean()\n",
        "outputs": [
            {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "12.5", "image/png": "AAAA"}},
            {"output_type": "execute_result", "data": {"text/plain": "<Figure size 640x480 with 1 Axes>"}},
            {"output_type": "stream", "text": LONG},
        ],
    },
    {"cell_type": "markdown", "source": "## Pears\n```python\nx = 1\n```"},
]


def notebook(**fields: Any) -> str:
    return json.dumps({"nbformat": 4, "metadata": {}, **fields})


def test_cells_are_blocks_and_short_results_text() -> None:
    read = document("notebook", notebook(cells=CELLS), "a.ipynb")
    assert read.title == "Apples"
    assert [(block.place, block.kind, block.text) for block in read.blocks] == [
        ("cell 1", BlockKind.HEADING, "Apples"),
        ("cell 1", BlockKind.PARAGRAPH, "Weighed in Lindenau. #fruit"),
        ("cell 1", BlockKind.LIST_ITEM, "one"),
        ("cell 1", BlockKind.LIST_ITEM, "two"),
        ("cell 2", BlockKind.CODE, "weights.mean()"),
        ("cell 2", BlockKind.CODE, "red"),
        ("cell 2", BlockKind.CODE, "12.5"),
        ("cell 3", BlockKind.HEADING, "Pears"),
        ("cell 3", BlockKind.CODE, "x = 1"),
    ]
    assert read.blocks[1].links == (WikiLink("Lindenau", "Lindenau"),)
    assert read.blocks[1].tags == ("fruit",)
    assert read.blocks[8].headings == ("Pears",)


def test_notebooks_of_format_3() -> None:
    cells = [{"cell_type": "heading", "level": 1, "source": "Old"}, {"cell_type": "code", "input": "x = 1"}]
    read = document("notebook", json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}), "a.ipynb")
    assert texts(read) == ["Old", "x = 1"]


@pytest.mark.parametrize("data", ["", "[1]", "{}", "[" * 100_000, '{"cells": 3}'])
def test_what_is_no_notebook_is_told(data: str) -> None:
    with pytest.raises(DocumentError):
        document("notebook", data, "a.ipynb")


def test_cells_of_other_shapes_are_passed_over() -> None:
    cells = [
        3,
        {"cell_type": "code", "source": {"a": 1}, "outputs": [4, {"data": 5}]},
        {"cell_type": "raw", "source": "x"},
    ]
    assert texts(document("notebook", notebook(cells=cells), "a.ipynb")) == ["x"]
