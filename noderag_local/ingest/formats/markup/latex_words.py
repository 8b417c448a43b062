"""Defines the arguments and the shown text of LaTeX commands that pylatexenc's own tables lack or show otherwise."""

from __future__ import annotations

from pylatexenc import latex2text, latexwalker
from pylatexenc.macrospec import EnvironmentSpec, LatexContextDb, MacroSpec, VerbatimArgsParser

CITATIONS = (
    "cite citep citet citealt citealp citeauthor citeyear citeyearpar Citet Citep Citealt Citealp Citeauthor citefullauthor "
    "parencite textcite autocite footcite nocite"
).split()
REFERENCES = "ref eqref pageref autoref cref Cref nameref".split()
SHOWN = "texttt textsf textmd textup mbox keywords".split()
"""Commands that pylatexenc reads with their text, but does not show."""
QUANTITIES = ("SI", "qty")
SIGNS = {
    "S": "§", "P": "¶", "ddag": "‡", "copyright": "©", "pounds": "£", "euro": "€", "EUR": "€", "checkmark": "✓", "slash": "/",
    "textless": "<", "textgreater": ">", "textbar": "|", "textunderscore": "_", "permil": "‰",
    "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»", "og": "«", "fg": "»",
    "TeX": "TeX", "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX", "XeTeX": "XeTeX",
}  # fmt: skip
UNITS = {
    "nano": "n", "micro": "µ", "milli": "m", "centi": "c", "deci": "d", "hecto": "h", "kilo": "k", "mega": "M", "giga": "G",
    "metre": "m", "meter": "m", "gram": "g", "kilogram": "kg", "second": "s", "minute": "min", "hour": "h", "day": "d",
    "litre": "l", "liter": "l", "hectare": "ha", "tonne": "t", "kelvin": "K", "mole": "mol", "ampere": "A", "volt": "V",
    "watt": "W", "joule": "J", "newton": "N", "pascal": "Pa", "bar": "bar", "hertz": "Hz", "ohm": "Ω", "lumen": "lm",
    "degree": "°", "celsius": "°C", "degreeCelsius": "°C", "percent": "%", "per": "/", "squared": "²", "cubed": "³",
}  # fmt: skip
"""Units of the package siunitx: `\\SI{5}{\\kilo\\gram}` is "5 kg"."""


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
            *(MacroSpec(name, "[{{") for name in QUANTITIES),
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
            *(spec(name, "%(2)s %(3)s") for name in QUANTITIES),
            spec("caption", "%(3)s"),
            spec("textcolor", "%(3)s"),
            spec("multicolumn", "%(3)s"),
            spec("multirow", "%(3)s"),
            *(spec(name, discard=False) for name in SHOWN),
            *(spec(name, sign) for name, sign in (SIGNS | UNITS).items()),
            spec("verb", lambda node: node.nodeargd.verbatim_text),
            # It is the day on which somebody prints the text, not that on which it is read here.
            spec("today", ""),
            spec("label", ""),
            spec("hypertarget", ""),
            spec("input", ""),
            spec("include", ""),
        ],
    )
    return context
