"""A comparison as Markdown, and as one HTML page that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from noderag_local.amounts import counted, size
from noderag_local.errors import SourceError
from noderag_local.eval.bootstrap import CONFIDENCE, SAMPLES, Interval
from noderag_local.eval.comparison import Comparison, Row
from noderag_local.eval.plot import Line, plot

MARKDOWN, PAGE = "report.md", "report.html"
TOKENS_PLOT, COST_PLOT, F1_PLOT = "coverage-by-tokens.svg", "coverage-by-cost.svg", "f1-by-tokens.svg"
EXPLAINED = (
    "Coverage: share of the questions whose answer stands in the context, in percent, with the interval that holds "
    f"{CONFIDENCE:.0%} of {SAMPLES:,} bootstrap samples of the questions. Difference: the same for the difference to the "
    "first method, question by question; * where the interval leaves out zero. Supports: share of the questions whose "
    "supporting paragraphs are all in the context. Tokens: of the whole context, mean. Indexing and answering: tokens that "
    "the language model read and wrote, for the vault and for one answer."
)


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    cell: Callable[[Row], str]
    """ "" where there is nothing to tell; a column of nothing is left out."""


_COLUMNS = (
    _Column("method", lambda row: row.contestant.name),
    _Column("coverage", lambda row: _interval(row.coverage)),
    _Column("difference", lambda row: _difference(row.behind)),
    _Column("supports", lambda row: _share(row.score.supported)),
    _Column("EM", lambda row: _share(row.score.exact_match)),
    _Column("F1", lambda row: _interval(row.f1) if row.f1 else ""),
    _Column("tokens", lambda row: f"{row.score.tokens:,.0f}"),
    _Column("indexing", lambda row: f"{row.indexing_tokens:,}"),
    _Column("answering", lambda row: f"{row.answering_tokens:,.0f}" if row.answering_tokens else ""),
    _Column("ms, median", lambda row: f"{row.median_ms:.0f}"),
)


def write_report(folder: Path, comparison: Comparison, title: str) -> Path:
    """Writes report.md with its plots and report.html into a folder; the path of the page.

    Raises:
        SourceError: the folder cannot be written to.
    """
    plots = _plots(comparison)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARKDOWN).write_text(_markdown(comparison, title, [name for name, _ in plots]), encoding="utf-8")
        (folder / PAGE).write_text(_page(comparison, title, [drawing for _, drawing in plots]), encoding="utf-8")
        for name, drawing in plots:
            (folder / name).write_text(_alone(drawing), encoding="utf-8")
    except OSError as error:
        raise SourceError(
            f"The report cannot be written to {folder}: {error.strerror}. Name another folder."
        ) from error
    return folder / PAGE


def _facts(comparison: Comparison) -> list[str]:
    """What the figures come from, a line each."""
    lines = [f"{counted(comparison.questions, 'questions')}."]
    for making in comparison.makings:
        read = f"answers by {making.model}" if making.model else "no answers"
        stages = ", ".join(f"{stage} {tokens:,}" for stage, tokens in making.stage_tokens.items()) or "none"
        lines.append(
            f"{making.name}: {counted(making.documents, 'documents')} of {making.corpus_tokens:,} tokens, vault of "
            f"{size(making.size_bytes)}, {read}; tokens of the language model for indexing: {stages}."
        )
    return lines


def _tables(comparison: Comparison) -> Iterable[tuple[int, list[str], list[list[str]]]]:
    """(budget, titles, cells row by row), without columns that have nothing to tell."""
    for budget in comparison.budgets:
        rows = [row for row in comparison.rows if row.score.budget_tokens == budget]
        columns = [column for column in _COLUMNS if any(column.cell(row) for row in rows)]
        yield budget, [column.title for column in columns], [[column.cell(row) for column in columns] for row in rows]


def _plots(comparison: Comparison) -> list[tuple[str, str]]:
    """(file name, SVG)"""
    ticks = [(float(budget), f"{budget:,}") for budget in comparison.budgets]
    if not ticks:
        return []
    by_tokens = _lines(comparison, lambda row: (row.score.budget_tokens, row.score.coverage))
    drawn = [(TOKENS_PLOT, plot(by_tokens, "context tokens", "coverage, %", ticks, is_log=True))]
    if any(row.f1 for row in comparison.rows):
        by_f1 = _lines(comparison, lambda row: (row.score.budget_tokens, row.f1.mean if row.f1 else None))
        drawn.append((F1_PLOT, plot(by_f1, "context tokens", "F1, %", ticks, is_log=True)))
    if any(row.indexing_tokens for row in comparison.rows):
        drawn.append((COST_PLOT, _cost_plot(comparison)))
    return drawn


def _cost_plot(comparison: Comparison) -> str:
    """Coverage at the smallest budget against what indexing cost; a point a method and vault."""
    smallest = [row for row in comparison.rows if row.score.budget_tokens == comparison.budgets[0]]
    most = max(row.indexing_tokens for row in smallest)
    ticks = [(share * most / 4, f"{share * most / 4:,.0f}") for share in range(5)]
    points = [Line(row.contestant.name, ((row.indexing_tokens, row.score.coverage),)) for row in smallest]
    title = f"coverage at {comparison.budgets[0]:,} tokens, %"
    return plot(points, "tokens of the language model for indexing", title, ticks, is_log=False)


def _lines(comparison: Comparison, point: Callable[[Row], tuple[float, float | None]]) -> list[Line]:
    points: dict[str, list[tuple[float, float]]] = {}
    for row in comparison.rows:
        x, y = point(row)
        if y is not None:
            points.setdefault(row.contestant.name, []).append((x, y))
    return [Line(name, tuple(sorted(found))) for name, found in points.items()]


def _markdown(comparison: Comparison, title: str, plots: Sequence[str]) -> str:
    parts = [f"# {title}", "\n".join(f"- {line}" for line in _facts(comparison)), EXPLAINED]
    for budget, titles, rows in _tables(comparison):
        lines = [titles, ["---"] * len(titles), *rows]
        table = "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
        parts.append(f"## {budget:,} tokens\n\n{table}")
    parts += [f"![{name.removesuffix('.svg').replace('-', ' ')}]({name})" for name in plots]
    return "\n\n".join(parts) + "\n"


def _page(comparison: Comparison, title: str, plots: Sequence[str]) -> str:
    facts = "".join(f"<li>{escape(line)}</li>" for line in _facts(comparison))
    body = [f"<h1>{escape(title)}</h1><ul>{facts}</ul><p>{escape(EXPLAINED)}</p>", *plots]
    for budget, titles, rows in _tables(comparison):
        heads = "".join(f"<th>{escape(cell)}</th>" for cell in titles)
        lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        body.append(f"<h2>{budget:,} tokens</h2><table><tr>{heads}</tr>{lines}</table>")
    template = files("noderag_local.eval").joinpath("page.html").read_text(encoding="utf-8")
    return template.replace("{title}", escape(title)).replace("{style}", _style()).replace("{body}", "\n".join(body))


def _alone(drawing: str) -> str:
    """An SVG as a file of its own."""
    whole = drawing.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    head, tag, rest = whole.partition(">")
    return f"{head}{tag}<style>{_style()}</style>{rest}\n"


def _style() -> str:
    return files("noderag_local.eval").joinpath("page.css").read_text(encoding="utf-8")


def _interval(interval: Interval) -> str:
    return f"{interval.mean:.1f} ({interval.low:.0f}–{interval.high:.0f})"


def _difference(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f"{interval.mean:+.1f} ({interval.low:+.0f} to {interval.high:+.0f})" + "*" * interval.excludes_zero


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
