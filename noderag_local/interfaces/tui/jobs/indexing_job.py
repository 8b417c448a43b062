"""The job that indexes notes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.jobs.job_progress import JobProgress, Pausing
from noderag_local.system.printing.amounts import counted, duration

if TYPE_CHECKING:
    from noderag_local.domain.progress import IndexReport, Progress
    from noderag_local.interfaces.tui.jobs.jobs import Control
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.vault.vault import Vault

STAGES = ("reading", "linking", "embedding", "connecting")
"""Stages of indexing, named as the vault's progress names them; a test keeps the two the same."""


def indexing(
    session: Session, paths: Sequence[Path], by_lines: Sequence[Path] = ()
) -> Callable[[Control], Awaitable[str]]:
    """Returns the job that indexes files and folders; its result is a line about what was done.

    Args:
        by_lines: read with each line of a text file as a document of its own.
    """

    async def work(control: Control) -> str:
        progress = JobProgress(control)
        pausing = Pausing(control, progress)

        def told(step: Progress) -> None:
            tell_step(progress, step, STAGES)

        def index(vault: Vault) -> list[IndexReport]:
            groups = [(group, is_by_lines) for group, is_by_lines in ((paths, False), (by_lines, True)) if group]
            reports: list[IndexReport] = []
            for group, is_by_lines in groups:
                if not control.cancelled():
                    reports.append(vault.index(group, by_lines=is_by_lines, progress=told, cancelled=pausing.cancelled))
            return reports

        return summary(await session.write(index))

    return work


def tell_step(progress: JobProgress, step: Progress, stages: Sequence[str]) -> None:
    """Shows the progress of indexing or forgetting.

    Args:
        stages: all that there will be, in their order.
    """

    def amounts(done: int, total: int) -> str:
        return f"{done:,} of {counted(total, step.unit)}" if total else counted(done, step.unit)

    progress.step(_numbered(step.stage, stages), step.done, step.total, amounts)


def _numbered(stage: str, stages: Sequence[str]) -> str:
    return f"{stage} ({stages.index(stage) + 1} of {len(stages)})" if stage in stages else stage


def summary(reports: Sequence[IndexReport]) -> str:
    """Returns in one line what runs of indexing did."""
    added, changed, removed, unchanged, errors = (
        sum(report.added for report in reports),
        sum(report.changed for report in reports),
        sum(report.removed for report in reports),
        sum(report.unchanged for report in reports),
        sum(skip.is_error for report in reports for skip in report.skipped),
    )
    parts = [f"{counted(added, 'documents')} added"]
    parts += [f"{counted(changed, 'files')} changed"] * bool(changed)
    parts += [f"{counted(removed, 'documents')} removed"] * bool(removed)
    parts += [f"{counted(unchanged, 'files')} unchanged"] * bool(unchanged)
    parts += [f"{counted(errors, 'files')} could not be read"] * bool(errors)
    if any(report.stopped for report in reports):
        return f"Stopped: {', '.join(parts)}; indexing again goes on from there."
    return f"Indexed: {', '.join(parts)}, in {duration(sum(report.elapsed_seconds for report in reports))}."
