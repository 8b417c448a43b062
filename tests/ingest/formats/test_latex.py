"""LaTeX."""

from __future__ import annotations

import pytest
from ingest.formats.reading import document, documents, lines, texts

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError

PAPER = r"""\documentclass{article}
% a comment
\newcommand{\foo}[1]{x #1}
\title{On \emph{Gardens}}
\begin{document}
\maketitle
\section*{Intro}
Hello $x^2$ \textbf{bo ld} \cite{a} caf\'e ``q''.
%comment
Second -- line~x\footnote{A note.}.

New para \[ a=b \] after. \input{secret}
\begin{itemize}
\item one
\item[lab] two
\end{itemize}
\begin{tabular}{ll}
Name & Amount \\ \hline
c & 12 \\
d & 13
\end{tabular}
\begin{lstlisting}[language=C]
raw % x {
\end{lstlisting}
\end{document}
"""


def test_a_paper_in_blocks_with_their_lines() -> None:
    read = document("latex", PAPER, "a.tex")
    assert read.title == "On Gardens"
    assert list(zip(texts(read), lines(read), strict=True)) == [
        ("Intro", (7, 7)),
        ("Hello $x^2$ bo ld [a] café “q”. Second – line x (A note.).", (8, 10)),
        (r"New para \[ a=b \] after.", (12, 12)),
        ("one", (14, 14)),
        ("lab two", (15, 15)),
        ("Name: c; Amount: 12", (18, 19)),
        ("Name: d; Amount: 13", (20, 21)),
        ("raw % x {", (22, 24)),
    ]
    assert [read.blocks[at].kind for at in (3, 5, 7)] == [BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.CODE]
    assert read.blocks[1].headings == ("Intro",)


def test_a_part_of_a_paper_has_no_preamble() -> None:
    assert texts(document("latex", "\\section{A}\nText.\n", "a.tex")) == ["A", "Text."]


@pytest.mark.parametrize("unit", ["$", "\\item ", "%\n", "[", "&", "}", "\\end{a}", "word\n\n"])
def test_hostile_lines_end(unit: str) -> None:
    assert documents("latex", f"word {unit * 2_000}", "a.tex")


@pytest.mark.parametrize("unit", ["{", "\\begin{a}", "\\a{", "\\cite{"])
def test_nesting_without_end_is_told(unit: str) -> None:
    with pytest.raises(DocumentError, match="nested too deep"):
        document("latex", unit * 5_000, "a.tex")


def test_arguments_of_unknown_commands_are_words_apart() -> None:
    described = r"\begin{classdesc}{Http}{cache, timeout} Asks.\end{classdesc}"
    assert texts(document("latex", described, "a.tex")) == ["Http cache, timeout Asks."]
    assert texts(document("latex", r"\by{Joe}{Ito} M{\"u}{\ss}ig", "a.tex")) == ["Joe Ito Müßig"]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"Run \verb|pip install x| now.", "Run pip install x now."),
        (r"\texttt{a b} \textsf{c} \textmd{d} \textup{e} \mbox{f}", "a b c d e f"),
        (r"\euro{}5, \S{}3, \LaTeX{}.", "€5, §3, LaTeX."),
        (r"\SI{5}{\kilo\gram} at \SI{3}{\metre\per\second\squared}, \SI{9}{\percent}", "5 kg at 3 m/s², 9 %"),
        (r"\Citet{lind} grew \citeyearpar{ito} it.", "[lind] grew [ito] it."),
        (r"Made on \today.", "Made on ."),
        (r"a \hspace{2cm} b \setlength{\parskip}{1em} c", "a b c"),
    ],
)
def test_commands_show_their_text(source: str, shown: str) -> None:
    assert texts(document("latex", source, "a.tex")) == [shown]
