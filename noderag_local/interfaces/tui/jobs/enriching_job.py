"""The job in which the language model reads the notes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from noderag_local.domain.errors import ModelError
from noderag_local.system.printing.amounts import counted, duration

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.jobs.jobs import Control
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.pipeline.budget import Budget
    from noderag_local.pipeline.enrichment_report import EnrichProgress, EnrichReport


def enriching(session: Session, budget: Budget) -> Callable[[Control], Awaitable[str]]:
    """Returns the job in which the model reads within a budget; its result is a line about what was done."""

    async def work(control: Control) -> str:
        def told(step: EnrichProgress) -> None:
            control.progress(step.line(), step.done, step.total)

        control.progress("Opening the language model …", 0, 0)
        report = await session.write(
            lambda vault: vault.enrichment.run(
                budget, progress=told, cancelled=control.cancelled, paused=control.paused
            )
        )
        if report.error:
            raise ModelError(f"{report.error} What was done is kept.")
        return summary(report)

    return work


def summary(report: EnrichReport) -> str:
    """Returns in one line what an enrichment did."""
    calls = sum(stage.calls for stage in report.stages)
    left = sum(stage.left for stage in report.stages)
    took = f"{counted(calls, 'answers')} of the model in {duration(report.elapsed_seconds)}"
    if report.is_complete:
        return f"Enriched: nothing is left to do, {took}."
    return f"{'Stopped' if report.stopped else 'Enriched'}: {took}, {counted(left, 'items')} left; enriching again goes on from there."
