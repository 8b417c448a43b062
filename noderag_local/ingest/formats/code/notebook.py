"""Reads Jupyter notebooks: their Markdown, their code, and short results in text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.json_file import json_object, records
from noderag_local.ingest.formats.text.markdown_blocks import write_markdown

MAX_RESULT_CHARACTERS = 500
"""A longer result is a log or a table of numbers, and says little by itself."""

_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_OBJECT = re.compile(r"<[\w.]+ (?:object )?at 0x[0-9a-f]+>|<Figure size[^>]*>|\[?<matplotlib[^>]*>\]?")


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    notebook = json_object(text_of(file), "notebook")
    cells, writer = _cells(notebook), BlockWriter()
    metadata = notebook.get("metadata")
    writer.title = folded_text(_joined(metadata.get("title", ""))) if isinstance(metadata, dict) else ""
    for number, cell in enumerate(cells, start=1):
        where = Whereabouts(f"cell {number}")
        kind, source = cell.get("cell_type"), _joined(cell.get("source", cell.get("input", "")))
        if kind == "markdown":
            write_markdown(source, writer, where)
        elif kind == "heading":
            writer.heading(_heading_level(cell.get("level")), source, where)
        elif kind == "code":
            writer.add(BlockKind.CODE, source, where)
            for result in _results(cell):
                writer.add(BlockKind.CODE, result, where)
        elif kind == "raw":
            writer.add(BlockKind.PARAGRAPH, source, where)
    yield ExtractedDocument(writer.title, tuple(writer.blocks))


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the cells of a notebook of format 4, or of 3, which has them in work sheets.

    Raises:
        DocumentError: it has none.
    """
    sheets = [notebook, *records(notebook.get("worksheets"))]
    found = [sheet["cells"] for sheet in sheets if isinstance(sheet.get("cells"), list)]
    if not found:
        raise DocumentError("it is JSON, but has no cells as a notebook has")
    return [cell for cells in found for cell in records(cells)]


def _results(cell: dict[str, Any]) -> Iterator[str]:
    """Yields what the code printed or returned, if it is text that a person would read."""
    for output in records(cell.get("outputs")):
        data = output.get("data")
        shown = data.get("text/plain", "") if isinstance(data, dict) else output.get("text", "")
        text = _ESCAPE.sub("", _joined(shown)).strip()
        if 0 < len(text) <= MAX_RESULT_CHARACTERS and not _OBJECT.fullmatch(text):
            yield text


def _joined(value: Any) -> str:
    """Returns a text that the format keeps whole or as a list of lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _heading_level(value: Any) -> int:
    return value if isinstance(value, int) and 1 <= value <= 6 else 1


EXTRACTOR = Extractor(_read)
