"""The jobs on the vault: indexing, forgetting, enriching with the language model, and backing up."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import ModelError
from noderag_local.interfaces.tui.jobs.job_progress import JobProgress, Pausing
from noderag_local.storage.backup.backups import FOLDER_NAME
from noderag_local.storage.backup.database_copy import CopyStopped
from noderag_local.system.printing.amounts import counted, duration, size

if TYPE_CHECKING:
    from noderag_local.domain.progress import IndexReport, OtherLanguages, Progress
    from noderag_local.interfaces.tui.jobs.jobs import Control
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.pipeline.budget import Budget
    from noderag_local.pipeline.enrichment_report import EnrichProgress, EnrichReport
    from noderag_local.pipeline.indexing import ForgetReport
    from noderag_local.vault.vault import Vault


INDEXING_STAGES = ("reading", "linking", "embedding", "connecting", "preparing", "backing up")
"""Stages of indexing, named as in the vault's progress; a test compares the two."""


def indexing(
    session: Session,
    paths: Sequence[Path],
    by_lines: Sequence[Path] = (),
    *,
    keep_old: bool = False,
    needs_model: Callable[[OtherLanguages], None] = lambda _: None,
) -> Callable[[Control], Awaitable[str]]:
    """Returns the job that indexes files and folders; its result is a line about what was done.

    Args:
        session: session whose vault is written.
        paths: files and folders to index.
        by_lines: files and folders in which each line of a text file is a document.
        keep_old: as for `Vault.index`.
        needs_model: called at the end if notes are in languages that need another embedding model, which is not installed.
    """

    async def work(control: Control) -> str:
        progress = JobProgress(control)
        pausing = Pausing(control, progress)

        def show(step: Progress) -> None:
            tell_step(progress, step, INDEXING_STAGES)

        def index(vault: Vault) -> list[IndexReport]:
            groups = [(group, is_by_lines) for group, is_by_lines in ((paths, False), (by_lines, True)) if group]
            reports: list[IndexReport] = []
            for group, is_by_lines in groups:
                if not control.cancelled():
                    report = vault.index(
                        group, by_lines=is_by_lines, keep_old=keep_old, progress=show, cancelled=pausing.cancelled
                    )
                    reports.append(report)
            return reports

        reports = await session.write(index)
        for found in [report.other_languages for report in reports]:
            if found is not None and not found.is_taken:
                needs_model(found)
        return indexing_summary(reports)

    return work


def tell_step(progress: JobProgress, step: Progress, stages: Sequence[str]) -> None:
    """Shows the progress of indexing or forgetting.

    Args:
        progress: object that shows the progress.
        step: progress of the running stage.
        stages: names of all stages in order.
    """

    def amounts(done: int, total: int) -> str:
        return f"{done:,} of {counted(total, step.unit)}" if total else counted(done, step.unit)

    progress.step(_numbered(step.stage, stages), step.done, step.total, amounts)


def _numbered(stage: str, stages: Sequence[str]) -> str:
    return f"{stage} ({stages.index(stage) + 1} of {len(stages)})" if stage in stages else stage


def indexing_summary(reports: Sequence[IndexReport]) -> str:
    """Returns a line about the result of indexing."""
    added, changed, read_again, removed, unchanged, errors = (
        sum(report.added for report in reports),
        sum(report.changed for report in reports),
        sum(report.read_again for report in reports),
        sum(report.removed for report in reports),
        sum(report.unchanged for report in reports),
        sum(skip.is_error for report in reports for skip in report.skipped),
    )
    parts = [f"{counted(added, 'documents')} added"]
    parts += [f"{counted(changed, 'files')} changed"] * bool(changed)
    parts += [f"{counted(read_again, 'files')} read again"] * bool(read_again)
    parts += [f"{counted(removed, 'documents')} removed"] * bool(removed)
    parts += [f"{counted(unchanged, 'files')} unchanged"] * bool(unchanged)
    parts += [f"{counted(errors, 'files')} could not be read"] * bool(errors)
    if any(report.stopped for report in reports):
        return f"Stopped: {', '.join(parts)}; indexing again goes on from there."
    return f"Indexed: {', '.join(parts)}, in {duration(sum(report.elapsed_seconds for report in reports))}."


FORGETTING_STAGES = ("forgetting", "linking", "connecting", "preparing")
"""Stages of forgetting, named as in the vault's progress; a test compares the two."""


def forgetting(session: Session, paths: Sequence[Path]) -> Callable[[Control], Awaitable[str]]:
    """Returns the job that removes files and folders from the vault; its result is a line about what was removed."""

    async def work(control: Control) -> str:
        progress = JobProgress(control)
        pausing = Pausing(control, progress)
        report = await session.write(
            lambda vault: vault.forget(
                paths, progress=lambda step: tell_step(progress, step, FORGETTING_STAGES), cancelled=pausing.cancelled
            )
        )
        return forgetting_summary(report, paths)

    return work


def forgetting_summary(report: ForgetReport, paths: Sequence[Path]) -> str:
    """Returns a line about the result of forgetting."""
    from noderag_local.storage.forgetting.traces import told

    if report.stopped and not report.documents:
        return "Stopped: nothing was forgotten."
    names = ", ".join(path.name or str(path) for path in paths)
    gone = f"Forgot {names}: {counted(report.documents, 'documents')}"
    if report.stopped:
        return f"{gone}. Stopped: the next command, or opening the vault again, finishes it."
    if report.traces:
        return f"{gone}. {told(report.traces)}"
    if report.conversations:
        gone += f" and {counted(report.conversations, 'conversations')}"
    return f"{gone}, in {duration(report.elapsed_seconds)}. On disk nothing has changed."


def enriching(session: Session, budget: Budget) -> Callable[[Control], Awaitable[str]]:
    """Returns the job in which the model reads notes within a budget; its result is a line about what was done."""

    async def work(control: Control) -> str:
        def told(step: EnrichProgress) -> None:
            control.progress(enriching_line(step, budget), step.done, step.total)

        control.progress("Opening the language model …", 0, 0)
        report = await session.write(
            lambda vault: vault.enrichment.run(
                budget, progress=told, cancelled=control.cancelled, paused=control.paused
            )
        )
        if report.error:
            raise ModelError(f"{report.error} What was done is kept.")
        return enriching_summary(report)

    return work


WORK_OF_STAGES = {
    "decompose": "reading passage",
    "attributes": "describing entity",
    "elements": "describing theme",
}
"""Words for the work of each stage, as they stand in front of a number."""


def enriching_line(step: EnrichProgress, budget: Budget) -> str:
    """Returns the progress as `reading passage 12 of 465 · about 9 min left · 10 min chosen · 3 % of its statements dropped`."""
    from noderag_local.pipeline.enrichment_report import roughly

    parts = [f"{WORK_OF_STAGES.get(step.stage, step.stage)} {step.done:,}" + f" of {step.total:,}" * bool(step.total)]
    if step.seconds_left is not None:
        parts.append(f"{roughly(step.seconds_left)} left")
    if budget.seconds is not None:
        minutes = round(budget.seconds / 60)
        parts.append(f"{minutes} min chosen" if minutes < 60 else f"{minutes // 60} h chosen")
    if step.rejected_share:
        parts.append(f"{100 * step.rejected_share:.0f} % of its statements dropped, since the notes do not say them")
    return " · ".join(parts)


def enriching_summary(report: EnrichReport) -> str:
    """Returns a line about the result of enriching."""
    calls = sum(stage.calls for stage in report.stages)
    left = sum(stage.left for stage in report.stages)
    took = f"{counted(calls, 'answers')} of the model in {duration(report.elapsed_seconds)}"
    if report.is_complete:
        return f"Enriched: nothing is left to do, {took}."
    return f"{'Stopped' if report.stopped else 'Enriched'}: {took}, {counted(left, 'items')} left; enriching again goes on from there."


def backing_up(session: Session, place: Path) -> Callable[[Control], Awaitable[str]]:
    """Returns the job that makes a backup in a folder; its result is a line about the backup."""

    async def work(control: Control) -> str:
        progress = JobProgress(control)
        pausing = Pausing(control, progress)

        def copied(done: int, total: int) -> None:
            if done < total:
                progress.step("copying", done, total, lambda done, total: f"{100 * done // total} %", lambda _: "")
            else:
                control.progress("Checking the copy …", 0, 0)

        control.progress("Copying the vault …", 0, 0)
        try:
            made = await session.write(
                lambda vault: vault.safety.back_up(place, progress=copied, cancelled=pausing.cancelled)
            )
        except CopyStopped:
            return "Stopped: no backup was made. The earlier ones are as they were."
        there = "" if place == session.folder / FOLDER_NAME else f" {shlex.quote(str(place))}"
        return f"Backup of {size(made.size_bytes)} in {made.folder}; it was checked. To go back to it: noderag restore{there}"

    return work
