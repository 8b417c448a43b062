"""Defines the arguments and the shown text of LaTeX commands that pylatexenc's own tables lack or show otherwise."""

from __future__ import annotations

from pylatexenc import latex2text, latexwalker
from pylatexenc.macrospec import EnvironmentSpec, LatexContextDb, MacroSpec, VerbatimArgsParser

CITATIONS = "cite citep citet citealt citealp citeauthor citeyear parencite textcite autocite footcite nocite".split()
REFERENCES = "ref eqref pageref autoref cref Cref nameref".split()


def parsing_context() -> LatexContextDb:
    """Returns commands and environments with their arguments."""
    context = latexwalker.get_default_latex_context_db()
    context.add_context_category(
        "notes",
        prepend=True,
        macros=[
            *(MacroSpec(name, "*[[{") for name in CITATIONS),
            *(MacroSpec(name, "*{") for name in REFERENCES),
            MacroSpec("href", "{{"),
            # Its second argument may hold a whole section, which is to be walked through, not shown as words.
            MacroSpec("hypertarget", "{"),
            MacroSpec("bibitem", "[{"),
            MacroSpec("caption", "*[{"),
            MacroSpec("textcolor", "[{{"),
            MacroSpec("multicolumn", "{{{"),
            MacroSpec("multirow", "{{{"),
        ],
        environments=[
            *(
                EnvironmentSpec(name, args_parser=VerbatimArgsParser("verbatim-environment"))
                for name in ("lstlisting", "minted", "Verbatim", "comment")
            ),
            EnvironmentSpec("tabularx", "{{"),
            EnvironmentSpec("longtable", "[{"),
            EnvironmentSpec("minipage", "[[[{"),
            EnvironmentSpec("figure", "["),
            EnvironmentSpec("table", "["),
            EnvironmentSpec("thebibliography", "{"),
        ],
    )
    return context


def text_context() -> LatexContextDb:
    """Returns what commands show: citations their keys, references their labels, footnotes and links their text."""
    context = latex2text.get_default_latex_context_db()
    spec = latex2text.MacroTextSpec
    context.add_context_category(
        "notes",
        prepend=True,
        macros=[
            *(spec(name, "[%(4)s]") for name in CITATIONS),
            *(spec(name, "%(2)s") for name in REFERENCES),
            spec("footnote", " (%(2)s)"),
            spec("href", "%(2)s"),
            spec("caption", "%(3)s"),
            spec("textcolor", "%(3)s"),
            spec("multicolumn", "%(3)s"),
            spec("multirow", "%(3)s"),
            spec("label", ""),
            spec("hypertarget", ""),
            spec("input", ""),
            spec("include", ""),
        ],
    )
    return context
