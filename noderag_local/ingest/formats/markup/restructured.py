"""Reads reStructuredText, as docutils and Sphinx write it.

docutils parses it without opening other files or showing raw HTML. Directives and roles that only Sphinx knows are read for
their text. Lines are searched in the file itself, since those that docutils gives are often wrong by a few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import Reporter, new_document

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.markup.sphinx_markup import accept_unknown_markup
from noderag_local.ingest.formats.office.tabular import may_have_header, stated_rows

MAX_INDENT = 200
"""Columns of indentation in one line; docutils takes time for each level of quotes within quotes."""

SEEN_WITHIN = 6
"""Lines by which docutils 0.23 is off at most, in our tries."""
LOOKED_THROUGH = 500

_NOT_SHOWN = (
    nodes.comment, nodes.system_message, nodes.substitution_definition, nodes.target, nodes.raw, nodes.pending,
    nodes.image, nodes.meta,
)  # fmt: skip
_TEXTS = (
    nodes.paragraph, nodes.term, nodes.attribution, nodes.caption, nodes.line, nodes.subtitle, nodes.rubric,
    nodes.field_name, nodes.option_group, nodes.authors, nodes.author, nodes.date, nodes.copyright, nodes.version,
)  # fmt: skip
_DEEP_INDENT = re.compile(rf"^[ \t]{{{MAX_INDENT},}}\S", re.MULTILINE)


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = text_of(file)
    if len(_DEEP_INDENT.findall(text)) > MAX_INDENT:
        raise DocumentError(f"more than {MAX_INDENT} of its lines are indented by {MAX_INDENT} columns")
    try:
        tree = _parsed(text)
        reading = _Reading(text)
        reading.read(tree)
    except RecursionError as error:
        raise DocumentError("its parts are nested too deep") from error
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, AssertionError) as error:
        raise DocumentError(f"docutils cannot read it ({folded_text(str(error))[:100]})") from error
    yield ExtractedDocument(reading.writer.title, tuple(reading.writer.blocks))


def _parsed(text: str) -> nodes.document:
    accept_unknown_markup(text)
    settings = get_default_settings(Parser)
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    settings.report_level = settings.halt_level = Reporter.SEVERE_LEVEL + 1
    settings.warning_stream = False
    settings.line_length_limit = max(10_000, max(map(len, text.split("\n"))))
    tree = new_document("note", settings)
    Parser().parse(text, tree)
    return tree


class _Reading:
    """One walk through the tree."""

    def __init__(self, text: str) -> None:
        self.writer = BlockWriter()
        self._lines = text.split("\n")
        self._at = 0

    def read(self, tree: nodes.Node, level: int = 0, kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        """Writes the blocks of a node and of all nodes in it.

        Args:
            tree: the node.
            level: number of sections around it.
            kind: kind of its paragraphs.
        """
        for node in tree.children:
            if isinstance(node, _NOT_SHOWN):
                continue
            if isinstance(node, nodes.title):
                self.writer.heading(max(level, 1), _shown(node), self._where(node))
            elif isinstance(node, nodes.literal_block | nodes.doctest_block | nodes.math_block):
                self.writer.add(BlockKind.CODE, node.astext(), self._where(node))
            elif isinstance(node, nodes.table):
                self._table(node)
            elif isinstance(node, _TEXTS):
                self.writer.add(kind, _shown(node), self._where(node))
            elif isinstance(node, nodes.section):
                self.read(node, level + 1)
            elif isinstance(node, nodes.list_item | nodes.definition | nodes.field_body | nodes.description):
                self.read(node, level, BlockKind.LIST_ITEM)
            elif isinstance(node, nodes.Element):
                self.read(node, level, kind)

    def _table(self, table: nodes.table) -> None:
        rows, places = [], []
        for child in table.children:
            if isinstance(child, nodes.title):
                self.writer.add(BlockKind.PARAGRAPH, _shown(child), self._where(child))
        for row in table.findall(nodes.row):
            cells = [entry for entry in row.children if isinstance(entry, nodes.entry)]
            rows.append([cell for entry in cells for cell in (_shown(entry), *[""] * int(entry.get("morecols", 0)))])
            places.append(self._where(max(cells, key=lambda cell: cell.astext().count("\n"), default=row)))
        is_marked = any(True for _ in table.findall(nodes.thead))
        for position, statement in stated_rows(rows, has_header=may_have_header(rows, is_marked=is_marked)):
            self.writer.add(BlockKind.TABLE_ROW, statement, places[position])

    def _where(self, node: nodes.Node) -> Whereabouts:
        """Returns the lines of a block; its first line is searched around where docutils saw it."""
        source = [line.strip() for line in _source(node).strip("\n").split("\n")]
        seen = _seen_line(node) - 1
        around = range(max(self._at, seen - SEEN_WITHIN), min(len(self._lines), seen + SEEN_WITHIN + 1))
        nearest = sorted(around, key=lambda at: (abs(at - seen), at))
        onwards = range(self._at, min(len(self._lines), self._at + LOOKED_THROUGH))
        found = next((at for at in (*nearest, *onwards) if source[0] in self._lines[at]), self._at)
        self._at = found
        last = min(found + len(source), len(self._lines))
        return Whereabouts(first_line=found + 1, last_line=last)


def _source(node: nodes.Node) -> str:
    source = getattr(node, "rawsource", "")
    return source or node.astext()


def _seen_line(node: nodes.Node) -> int:
    """Returns the line of a node, or of the nearest one around it, as docutils counts."""
    at: Any = node
    while at is not None and at.line is None:
        at = at.parent
    return at.line if at is not None else 1


def _shown(node: nodes.Node) -> str:
    """Returns the text of a node on one line; what docutils could not resolve is shown as it is written."""
    return " ".join(node.astext().split("\n"))


EXTRACTOR = Extractor(_read)
