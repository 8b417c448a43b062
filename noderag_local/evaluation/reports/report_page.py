"""Writes comparisons as Markdown and as one self-contained HTML page, with a section for each corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from noderag_local.domain.errors import SourceError
from noderag_local.evaluation.provenance import Provenance
from noderag_local.evaluation.reports.comparison import Comparison
from noderag_local.evaluation.reports.drawings import drawings
from noderag_local.evaluation.reports.report_columns import EXPLAINED, BudgetTable, tables
from noderag_local.system.disk.private_files import make_private_folder, write_private
from noderag_local.system.printing.amounts import counted, duration, size
from noderag_local.system.printing.markdown_text import one_line

MARKDOWN, PAGE = "report.md", "report.html"


@dataclass(frozen=True, slots=True)
class _Section:
    """The section of a report about one corpus."""

    title: str
    """Title of the section; "" if there is only one."""
    facts: Sequence[str]
    """Lines that say what the figures are based on."""
    tables: Sequence[BudgetTable]
    plots: Sequence[tuple[str, str]]
    """(file name, SVG) of each plot"""


def write_report(folder: Path, comparisons: Sequence[Comparison], title: str) -> Path:
    """Writes report.md with its plots and report.html into a folder; returns the path of report.html.

    Raises:
        SourceError: the folder cannot be written to.
    """
    several = len(comparisons) > 1
    sections = [_section(one, number if several else 0) for number, one in enumerate(comparisons, start=1)]
    try:
        make_private_folder(folder)
        write_private(folder / MARKDOWN, _markdown(sections, title))
        write_private(folder / PAGE, _page(sections, title))
        for name, drawing in (plot for section in sections for plot in section.plots):
            write_private(folder / name, _alone(drawing))
    except OSError as error:
        raise SourceError(
            f"The report cannot be written to {folder}: {error.strerror}. Name another folder."
        ) from error
    return folder / PAGE


def _section(comparison: Comparison, number: int) -> _Section:
    """Returns the section of a corpus; `number` counts from 1, or is 0 if there is only one section."""
    return _Section(
        title=comparison.name if number else "",
        facts=_facts(comparison),
        tables=tables(comparison),
        plots=[(f"{name}-{number}.svg" if number else f"{name}.svg", svg) for name, svg in drawings(comparison)],
    )


def _facts(comparison: Comparison) -> list[str]:
    lines = [f"{counted(comparison.questions, 'questions')}."]
    for provenance in comparison.provenances:
        read = f"answers by {provenance.model}" if provenance.model else "no answers"
        stages = "; ".join(_stage_costs(provenance)) or "none"
        total = sum(provenance.stage_tokens.values())
        took = f", {duration(total / provenance.tokens_per_second)}" if provenance.tokens_per_second and total else ""
        lines.append(
            f"{provenance.name}: {counted(provenance.documents, 'documents')} of {provenance.corpus_tokens:,} tokens, vault of "
            f"{size(provenance.size_bytes)}, {read}; tokens of the language model for indexing: {stages}{took}."
        )
        lines += _reading(provenance)
    return lines


def _stage_costs(provenance: Provenance) -> Iterator[str]:
    """Yields the tokens of each stage, with its requests and what they read and wrote where that is known."""
    for stage, tokens in provenance.stage_tokens.items():
        use = provenance.stage_use.get(stage)
        told = (
            ""
            if use is None
            else f" ({counted(use.calls, 'requests')}, {use.prompt_tokens:,} read, {use.written_tokens:,} written)"
        )
        yield f"{stage} {tokens:,}{told}"


def _reading(provenance: Provenance) -> list[str]:
    """Returns a line on how far the language model has read the notes; none for a dump of an earlier version."""
    if provenance.stages is None:
        return []
    if not any(one.items for one in provenance.stages):
        return [f"{provenance.name}: no chunk was read by a language model."]
    left = ", ".join(one.told for one in provenance.stages if not one.is_finished)
    finished = ", ".join(one.told for one in provenance.stages if one.is_finished) or "none"
    return [f"{provenance.name}: stages that have run to their end: {finished}; that have not: {left or 'none'}."]


def _markdown(sections: Sequence[_Section], title: str) -> str:
    parts = [f"# {one_line(title)}", EXPLAINED]
    for section in sections:
        parts += [f"## {one_line(section.title)}"] if section.title else []
        parts.append("\n".join(f"- {one_line(line)}" for line in section.facts))
        for table in section.tables:
            lines = [table.titles, ["---", *["---:"] * (len(table.titles) - 1)], *table.cells]
            rows = "\n".join(f"| {' | '.join(one_line(cell).replace('|', '/') for cell in line)} |" for line in lines)
            parts.append(f"### {table.budget_tokens:,} tokens\n\n{rows}")
        parts += [f"![{name.removesuffix('.svg').replace('-', ' ')}]({name})" for name, _ in section.plots]
    return "\n\n".join(parts) + "\n"


def _page(sections: Sequence[_Section], title: str) -> str:
    body = [f"<h1>{escape(title)}</h1><p>{escape(EXPLAINED)}</p>"]
    for section in sections:
        facts = "".join(f"<li>{escape(line)}</li>" for line in section.facts)
        body.append(f"{f'<h2>{escape(section.title)}</h2>' if section.title else ''}<ul>{facts}</ul>")
        body += [f"<h3>{table.budget_tokens:,} tokens</h3>{_table(table)}" for table in section.tables]
        body += [svg for _, svg in section.plots]
    template = files("noderag_local.evaluation.reports").joinpath("page.html").read_text(encoding="utf-8")
    parts = {"title": escape(title), "style": _style(), "body": "\n".join(body)}
    # Filled in one pass, so that a title containing "{body}" stays unchanged.
    return re.sub(r"\{(title|style|body)\}", lambda field: parts[field[1]], template)


def _table(table: BudgetTable) -> str:
    """Returns a table in a frame that scrolls in a narrow window."""
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.titles)
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for name, *cells in table.cells
    )
    return f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'


def _alone(drawing: str) -> str:
    """Returns an SVG element as a complete file."""
    whole = drawing.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    head, tag, rest = whole.partition(">")
    return f"{head}{tag}<style>{_style()}</style>{rest}\n"


def _style() -> str:
    return files("noderag_local.evaluation.reports").joinpath("page.css").read_text(encoding="utf-8")
