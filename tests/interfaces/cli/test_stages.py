"""Progress on stderr."""

from __future__ import annotations

import pytest

from noderag_local.domain.progress import Progress
from noderag_local.interfaces.cli import stage_bars
from noderag_local.interfaces.cli.stage_bars import Pace


def test_without_a_terminal_a_stage_is_a_line_when_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    with stage_bars.shown_stages() as progress:
        for done in range(0, 101, 10):
            progress(Progress("embedding", done, 100, "sentences"))
        progress(Progress("embedding", 100, 100, "sentences"))
        progress(Progress("linking", 0, 0, "documents"))
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert line.startswith("embedding: 100 sentences in ")


def test_an_amount_has_the_rate_and_the_time_left_and_in_the_end_the_time_taken() -> None:
    now = 0.0
    pace = Pace(lambda: now)
    pace.step(0, 3000)
    now = 4.0
    assert stage_bars.amount(pace, "sentences") == "0 of 3,000 sentences, 4 s so far"
    pace.step(1000, 3000)
    assert stage_bars.amount(pace, "sentences") == "1,000 of 3,000 sentences, 250/s, 8 s left"
    now = 12.0
    pace.step(3000, 3000)
    now = 99.0
    assert stage_bars.amount(pace, "sentences") == "3,000 sentences in 12 s"


def test_an_unknown_total_is_a_plain_count() -> None:
    pace = Pace()
    pace.step(12, 0)
    assert stage_bars.amount(pace, "documents") == "12 documents"


def test_one_is_not_many() -> None:
    pace = Pace(lambda: 0.0)
    pace.step(1, 1)
    assert stage_bars.amount(pace, "files") == "1 file in 0.0 s"
