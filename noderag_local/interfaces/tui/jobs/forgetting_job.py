"""The job that takes files out of the vault."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.jobs.indexing_job import tell_step
from noderag_local.interfaces.tui.jobs.job_progress import JobProgress, Pausing
from noderag_local.system.printing.amounts import counted, duration

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.jobs.jobs import Control
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.pipeline.indexing import ForgetReport

STAGES = ("forgetting", "linking", "connecting")
"""Stages of forgetting, named as the vault's progress names them; a test keeps the two the same."""


def forgetting(session: Session, paths: Sequence[Path]) -> Callable[[Control], Awaitable[str]]:
    """Returns the job that takes files and folders out of the vault; its result is a line about what was removed."""

    async def work(control: Control) -> str:
        progress = JobProgress(control)
        pausing = Pausing(control, progress)
        report = await session.write(
            lambda vault: vault.forget(
                paths, progress=lambda step: tell_step(progress, step, STAGES), cancelled=pausing.cancelled
            )
        )
        return summary(report, paths)

    return work


def summary(report: ForgetReport, paths: Sequence[Path]) -> str:
    """Returns in one line what forgetting did."""
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
