"""LaTeX: sections, paragraphs, lists, tables, code; formulas as they are written, comments and preamble left out.

Files that a document includes are not looked for: they are files of their own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import BinaryIO, TypeGuard

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import (
    LatexCharsNode,
    LatexCommentNode,
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexNode,
    LatexWalker,
    LatexWalkerError,
)

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.markup.latex_words import parsing_context, text_context
from noderag_local.ingest.formats.office.tabular import stated_rows

SECTIONS = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 7,
}
DROPPED_MACROS = frozenset(
    "documentclass documentstyle usepackage RequirePackage newcommand renewcommand providecommand newenvironment "
    "renewenvironment newtheorem def let setlength addtolength setcounter addtocounter maketitle tableofcontents label "
    "listoffigures listoftables bibliography bibliographystyle pagestyle thispagestyle input include includeonly "
    "includegraphics index vspace hspace vskip hskip printbibliography addbibresource centering noindent newpage "
    "clearpage appendix hline toprule midrule bottomrule graphicspath geometry hypersetup DeclareMathOperator".split()
)
DROPPED_ENVIRONMENTS = frozenset({"comment", "tikzpicture", "filecontents", "filecontents*", "pgfpicture"})
CODE_ENVIRONMENTS = frozenset({"verbatim", "verbatim*", "lstlisting", "minted", "Verbatim", "alltt"})
TABLES = frozenset({"tabular", "tabular*", "tabularx", "longtable", "tabulary"})
LISTS = frozenset({"itemize", "enumerate", "description", "thebibliography", "list", "compactitem", "compactenum"})
FORMULAS = frozenset(
    "equation align gather multline eqnarray displaymath math alignat flalign equation* align* gather* multline* "
    "eqnarray* alignat* flalign*".split()
)

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
_BEGIN_DOCUMENT = re.compile(r"\\begin\s*\{document\}")
_PREAMBLE_TITLE = re.compile(r"\\title\s*+(?:\[[^\]]{0,300}\]\s*+)?(?=\{)")


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = text_of(file)
    reading = _Reading(text)
    try:
        reading.title()
        begin = _BEGIN_DOCUMENT.search(text)
        reading.read(begin.start() if begin else 0)
    except RecursionError as error:
        raise DocumentError("its groups are nested too deep") from error
    except (LatexWalkerError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise DocumentError(f"it is no LaTeX that can be read ({folded_text(str(error))[:100]})") from error
    yield ExtractedDocument(reading.writer.title, tuple(reading.writer.blocks))


class _Reading:
    """One walk through the nodes of a file. Nodes are gathered until a paragraph or item ends."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.writer = BlockWriter()
        self.kind = BlockKind.PARAGRAPH
        self._walker = LatexWalker(source, latex_context=parsing_context(), tolerant_parsing=True)
        self._text = LatexNodes2Text(latex_context=text_context(), math_mode="verbatim", keep_comments=False)
        self._gathered: list[LatexNode | str] = []
        self._from = self._to = 0
        self._line_ends = [match.start() for match in re.finditer("\n", source)]

    def title(self) -> None:
        """Reads the title, which is set before or in the text."""
        found = _PREAMBLE_TITLE.search(self.source)
        if found:
            group, _, _ = self._walker.get_latex_expression(found.end())
            self.writer.title = folded_text(self._shown([group]))

    def read(self, start: int) -> None:
        """Writes all blocks from a position of the source on."""
        nodes, _, _ = self._walker.get_latex_nodes(start)
        self._nodes(nodes)
        self._close()

    def _nodes(self, nodes: Sequence[LatexNode | None]) -> None:
        before: LatexNode | None = None
        for node in nodes:
            if _begins_with_words(before) and _begins_with_words(node):
                # The arguments of a command that nobody here knows are words apart.
                self._gather(" ", node.pos, 0)
            before = node
            if isinstance(node, LatexCharsNode):
                self._characters(node)
            elif isinstance(node, LatexCommentNode):
                if node.comment_post_space.count("\n") > 1:
                    self._close()
            elif isinstance(node, LatexMacroNode):
                self._macro(node)
            elif isinstance(node, LatexEnvironmentNode):
                self._environment(node)
            elif isinstance(node, LatexGroupNode):
                self._nodes(node.nodelist)
            elif node is not None:
                self._gather(node, node.pos, node.len)

    def _characters(self, node: LatexCharsNode) -> None:
        at = 0
        for end in _PARAGRAPH_END.finditer(node.chars):
            self._gather(node.chars[at : end.start()], node.pos + at, end.start() - at)
            self._close()
            at = end.end()
        self._gather(node.chars[at:], node.pos + at, len(node.chars) - at)

    def _macro(self, node: LatexMacroNode) -> None:
        name = node.macroname
        if name in SECTIONS:
            self._close()
            where = self._where(node.pos, node.pos + node.len)
            # The title of the document stands over all of its sections.
            self.writer.heading(SECTIONS[name] + 1, self._shown(_arguments(node)[-1:]), where)
        elif name in ("item", "bibitem"):
            self._close()
            self._from = node.pos
            label = self._shown(_arguments(node)[:1]) if name == "item" else ""
            self._gather(f"{label} " if label else "", node.pos, node.len)
        elif name == "par":
            self._close()
        elif name == "caption":
            self._close()
            self._gather(node, node.pos, node.len)
            self._close()
        elif name not in DROPPED_MACROS and name not in ("title", "date", "thanks"):
            self._gather(node, node.pos, node.len)

    def _environment(self, node: LatexEnvironmentNode) -> None:
        name = node.environmentname
        if name in DROPPED_ENVIRONMENTS:
            return
        if name in FORMULAS:
            self._gather(node, node.pos, node.len)
            return
        self._close()
        if name in CODE_ENVIRONMENTS:
            self._code(node)
        elif name in TABLES:
            self._table(node)
        else:
            outer = self.kind
            self.kind = BlockKind.LIST_ITEM if name in LISTS else self.kind
            self._nodes(node.nodelist)
            self._close()
            self.kind = outer

    def _code(self, node: LatexEnvironmentNode) -> None:
        lines = self.source[node.pos : node.pos + node.len].split("\n")
        first = bisect_right(self._line_ends, node.pos) + 1
        inner = lines[1:-1] or [lines[0].partition("}")[2].rpartition("\\end")[0]]
        where = Whereabouts(first_line=first, last_line=first + len(lines) - 1)
        self.writer.add(BlockKind.CODE, "\n".join(inner), where)

    def _table(self, node: LatexEnvironmentNode) -> None:
        """Rows end with two backslashes, cells with &; both may stand within a cell's own groups."""
        rows: list[list[str]] = [[]]
        starts, cell = [node.pos], list[LatexNode]()
        for child in node.nodelist:
            mark = child.latex_verbatim() if not isinstance(child, LatexEnvironmentNode) else ""
            if mark == "&" or (isinstance(child, LatexMacroNode) and child.macroname in ("\\", "tabularnewline")):
                rows[-1].append(self._shown(cell))
                cell = []
                if mark != "&":
                    rows.append([])
                    starts.append(child.pos + child.len)
            elif not (isinstance(child, LatexMacroNode) and child.macroname in (*DROPPED_MACROS, "cline", "cmidrule")):
                cell.append(child)
        rows[-1].append(self._shown(cell))
        self._rows(rows, [*starts, node.pos + node.len])

    def _rows(self, rows: list[list[str]], edges: list[int]) -> None:
        filled = [position for position, row in enumerate(rows) if any(cell.strip() for cell in row)]
        for position, statement in stated_rows([rows[number] for number in filled]):
            start, end = edges[filled[position]], edges[filled[position] + 1]
            start += len(self.source[start:end]) - len(self.source[start:end].lstrip())
            self.writer.add(BlockKind.TABLE_ROW, statement, self._where(start, max(end, start + 1)))

    def _gather(self, piece: LatexNode | str, start: int, length: int) -> None:
        if not self._gathered:
            if isinstance(piece, str) and not piece.strip() and self.source[start : start + 1] != "\\":
                return
            lead = len(piece) - len(piece.lstrip()) if isinstance(piece, str) else 0
            self._from = start + lead
        self._gathered.append(piece)
        tail = len(piece) - len(piece.rstrip()) if isinstance(piece, str) and piece.strip() else 0
        self._to = max(start + length - tail, self._from + 1)

    def _close(self) -> None:
        if self._gathered:
            self.writer.add(self.kind, self._shown(self._gathered), self._where(self._from, self._to))
        self._gathered = []

    def _shown(self, pieces: Sequence[LatexNode | str | None]) -> str:
        return "".join(
            piece if isinstance(piece, str) else self._text.nodelist_to_text([piece])
            for piece in pieces
            if piece is not None
        )

    def _where(self, start: int, end: int) -> Whereabouts:
        first, last = (bisect_right(self._line_ends, at - 1) + 1 for at in (start, max(end - 1, start)))
        return Whereabouts(first_line=first, last_line=last)


def _begins_with_words(node: LatexNode | None) -> TypeGuard[LatexGroupNode]:
    """Whether a node is a group, and not one that an accent or a single sign stands in."""
    return isinstance(node, LatexGroupNode) and bool(node.nodelist) and isinstance(node.nodelist[0], LatexCharsNode)


def _arguments(node: LatexMacroNode) -> list[LatexNode | None]:
    return list(node.nodeargd.argnlist) if node.nodeargd and node.nodeargd.argnlist else []


EXTRACTOR = Extractor(_read)
