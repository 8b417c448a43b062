"""Rates and times that are told while a job runs."""

from __future__ import annotations

import threading
import time

from noderag_local.domain.progress import BACKING_UP
from noderag_local.interfaces.tui.jobs.job_progress import JobProgress, Pausing
from noderag_local.interfaces.tui.jobs.jobs import Control
from noderag_local.interfaces.tui.jobs.vault_jobs import FORGETTING_STAGES, INDEXING_STAGES
from noderag_local.pipeline import indexing


class Watched:
    """A job's progress on a clock that is set by hand."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.now = 0.0
        self.control = Control(lambda line, done, total: self.lines.append(line))
        self.progress = JobProgress(self.control, lambda: self.now)

    def step(self, done: int, seconds: float, stage: str = "embedding") -> None:
        self.now += seconds
        self.progress.step(stage, done, 1000, lambda done, total: f"{done} of {total}")


def test_the_rate_and_the_time_left_are_those_of_late() -> None:
    watched = Watched()
    for done in (0, 100, 200):
        watched.step(done, 1.0)
    assert watched.lines[-1] == "embedding 200 of 1000 · 100/s · 8 s left"
    for done in range(210, 460, 10):
        watched.step(done, 1.0)
    assert watched.lines[-1] == "embedding 450 of 1000 · 10/s · 55 s left"


def test_nothing_is_promised_before_anything_was_done() -> None:
    watched = Watched()
    watched.step(0, 1.0)
    watched.step(0, 5.0)
    assert watched.lines == ["embedding 0 of 1000", "embedding 0 of 1000"]


def test_it_is_told_ten_times_a_second_at_most_but_the_end_always() -> None:
    watched = Watched()
    for done in range(0, 1001, 5):
        watched.step(done, 0.005)
    assert len(watched.lines) <= 12
    assert watched.lines[-1] == "embedding 1000 of 1000"


def test_each_stage_has_a_rate_of_its_own() -> None:
    watched = Watched()
    watched.step(0, 1.0)
    watched.step(900, 1.0)
    watched.step(10, 1.0, stage="connecting")
    assert watched.lines[-1] == "connecting 10 of 1000"


def test_a_pause_holds_the_work_and_spoils_no_rate() -> None:
    watched = Watched()
    pausing = Pausing(watched.control, watched.progress)
    watched.step(0, 1.0)
    watched.step(100, 1.0)
    watched.control.is_paused = True
    answers: list[bool] = []
    worker = threading.Thread(target=lambda: answers.append(pausing.cancelled()))
    worker.start()
    time.sleep(0.05)
    assert answers == []
    watched.control.is_paused = False
    worker.join(300)
    assert answers == [False]
    watched.step(200, 3600.0)
    assert watched.lines[-1] == "embedding 200 of 1000"


def test_a_stop_ends_a_pause() -> None:
    watched = Watched()
    watched.control.is_paused = watched.control.is_cancelled = True
    assert Pausing(watched.control, watched.progress).cancelled()


def test_the_stages_are_those_of_the_pipeline() -> None:
    stages = (indexing.READING, indexing.LINKING, indexing.EMBEDDING, indexing.CONNECTING, indexing.PREPARING)
    assert (*stages, BACKING_UP) == INDEXING_STAGES
    assert FORGETTING_STAGES == (indexing.FORGETTING, indexing.LINKING, indexing.CONNECTING, indexing.PREPARING)
