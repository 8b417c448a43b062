"""Shows the estimate, the status line and the summary of `noderag enrich`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from noderag_local.interfaces.cli.failures import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noderag_local.pipeline.budget import Budget
    from noderag_local.pipeline.enrichment_report import EnrichProgress, EnrichReport, StageReport
    from noderag_local.pipeline.forecast import Estimate

LINE_SECONDS = 10.0
"""Seconds between two lines if the output is not a terminal."""


@contextmanager
def shown_enrichment() -> Iterator[Callable[[EnrichProgress], None]]:
    """Yields a function that shows progress: one changing line on a terminal, new lines elsewhere."""
    from noderag_local.interfaces.cli.printed import console

    terminal = console(stderr=True)
    if not terminal.is_terminal:
        yield _Told()
        return
    from rich.text import Text

    with terminal.status("Opening the language model …") as status:
        yield lambda progress: status.update(Text(progress.line()))


@contextmanager
def shown_waiting() -> Iterator[Callable[[str], None]]:
    """Yields a function that shows what the command is waiting for: one changing line on a terminal, new lines elsewhere."""
    from noderag_local.interfaces.cli.printed import console

    terminal = console(stderr=True)
    if not terminal.is_terminal:
        yield say
        return
    from rich.text import Text

    with terminal.status("Checking what there is to do …") as status:
        yield lambda line: status.update(Text(line))


class _Told:
    """Prints a line from time to time, and one at the end of each stage or step."""

    def __init__(self) -> None:
        self._stage = ""
        self._told_at = time.monotonic()

    def __call__(self, progress: EnrichProgress) -> None:
        now = time.monotonic()
        has_ended = progress.done == progress.total and progress.stage != self._stage
        if has_ended or now - self._told_at >= LINE_SECONDS:
            self._told_at = now
            self._stage = progress.stage if progress.done == progress.total else ""
            say(progress.line())


def estimate_lines(expected: Estimate, budget: Budget) -> Iterator[str]:
    """Yields lines that say how much there is to do and how long it takes."""
    from noderag_local.pipeline.enrichment_report import roughly
    from noderag_local.system.printing.amounts import duration

    for stage in expected.stages:
        if stage.items:
            time_needed = "" if stage.seconds is None else f", {roughly(stage.seconds)}"
            again = (
                f" ({stage.outdated:,} of them again, because the prompt or a setting has changed)"
                if stage.outdated
                else ""
            )
            yield f"{stage.name}: {stage.items:,} to do{again}, about {stage.tokens:,} tokens{time_needed}"
    if any(stage.outdated for stage in expected.stages):
        yield "Results of an older prompt or setting stay until they are made again; --keep-old keeps them for now."
    if not any(stage.items for stage in expected.stages):
        yield "Nothing is left to do."
        return
    more = "later stages will have more to do when earlier ones have found more."
    if expected.seconds is None:
        yield f"The time will be known after the model has started; {more}"
    else:
        yield f"In all {roughly(expected.seconds)} at {expected.tokens_per_second:,.0f} tokens/s; {more}"
    if budget.seconds is not None and (expected.seconds is None or budget.seconds < expected.seconds):
        yield f"This run takes {duration(budget.seconds)} of it, and some more for the steps between; --all does everything."


def print_enriched(report: EnrichReport) -> None:
    """Prints what was done, what is left, and the nodes of the graph by type."""
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.system.printing.amounts import duration

    out = console()
    for stage in report.stages:
        show(out, f"{stage.name}: {_standing(stage)}")
    for name, seconds in report.steps:
        show(out, f"{name}: {duration(seconds)}")
    show(out)
    show(out, _table("nodes", [(kind.name.lower().replace("_", " "), number) for kind, number in report.nodes]))
    show(out, _table("edges", [(kind.value, number) for kind, number in report.edges]))
    show(out, f"{duration(report.elapsed_seconds)}.")
    if report.error:
        say(f"Error: {report.error}")
    if report.stopped or report.error:
        show(out, "What was done is kept; run the same command to continue.")
    elif not report.is_complete and not any(stage.calls or stage.cached for stage in report.stages):
        show(out, "The time was too short for a single request to the model. Give it more, such as --for 10m.")
    elif not report.is_complete:
        show(out, "There is more to do; run the same command to continue.")


def _standing(stage: StageReport) -> str:
    parts = [f"{stage.done:,} done", f"{stage.left:,} left", f"{stage.failed:,} failed"]
    if stage.rejected_share is not None:
        parts.append(f"{100 * stage.rejected_share:.0f} % rejected")
    if stage.calls:
        parts.append(f"{stage.read_tokens:,} tokens read, {stage.written_tokens:,} written")
    if stage.tokens_per_second is not None:
        parts.append(f"{stage.tokens_per_second:,.0f} tokens/s")
    if stage.cached:
        parts.append(f"{stage.cached:,} answered before")
    return ", ".join(parts)


def _table(title: str, rows: Sequence[tuple[str, int]]) -> str:
    """Returns a line with the count of each type that occurs."""
    return f"{title}: " + (", ".join(f"{name} {number:,}" for name, number in rows if number) or "none")
