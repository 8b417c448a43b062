"""reStructuredText."""

from __future__ import annotations

from pathlib import Path

import pytest
from ingest.formats.reading import document, documents, lines, texts

from noderag_local.domain.errors import DocumentError

PAGE = """\
Title
=====

A para with *emph* and ``lit``
on lines, :func:`foo`, ref_ and :class:`Bar <x.Bar>`.

* item one
  more

+---+---+
| a | b |
+===+===+
| 1 | 2 |
+---+---+

.. note:: hey
   you

.. function:: open(path, *, x=1)
   :module: foo

   Opens *it*.

.. _ref: http://x.example

.. code-block:: python
   :linenos:

   y = 2

.. toctree::

   other

Sub
---
The end.
"""


def test_a_page_in_blocks_with_their_lines() -> None:
    read = document("restructured", PAGE, "a.rst")
    assert read.title == "Title"
    assert list(zip(texts(read), lines(read), strict=True)) == [
        ("Title", (1, 1)),
        ("A para with emph and lit on lines, foo, ref and Bar.", (4, 5)),
        ("item one more", (7, 8)),
        ("a: 1; b: 2", (13, 13)),
        ("hey you", (16, 17)),
        ("open(path, *, x=1)", (19, 19)),
        ("Opens it.", (22, 22)),
        ("y = 2", (29, 29)),
        ("Sub", (35, 35)),
        ("The end.", (37, 37)),
    ]
    assert read.blocks[-1].headings == ("Sub",)


def test_no_other_file_is_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden", encoding="utf-8")
    source = "".join(
        f"{directive}\n\n"
        for directive in (
            f".. include:: {secret}",
            f".. csv-table:: T\n   :file: {secret}",
            f".. literalinclude:: {secret}",
            f".. raw:: html\n   :file: {secret}",
            f".. figure:: {secret}\n\n   Caption",
        )
    )
    assert "hidden" not in " ".join(texts(document("restructured", source + "End.", "a.rst")))


def test_two_columns_without_a_head_are_names_and_values() -> None:
    page = "===== ====\nName  Jane\nPhone 555\n===== ====\n"
    assert texts(document("restructured", page, "a.rst")) == ["Name: Jane", "Phone: 555"]


@pytest.mark.parametrize("unit", ["*", "`", "|", "..", ":a:`", "_", "- ", "[", "\n\n- a", "=\n"])
def test_hostile_lines_end(unit: str) -> None:
    assert documents("restructured", f"word {unit * 2_000}", "a.rst")


def test_nesting_without_end_is_told() -> None:
    with pytest.raises(DocumentError):
        document("restructured", "\n\n".join(" " * depth + "a" for depth in range(1, 500)), "a.rst")
