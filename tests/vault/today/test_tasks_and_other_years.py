"""Open tasks in order, this day of other years, and what changed lately."""

from __future__ import annotations

import time
from datetime import date, datetime

import pytest
from vault.today.conftest import TODAY, PageOf

from noderag_local.aggregation.operations.open_tasks import OpenBox
from noderag_local.domain.documents import BlockKind
from noderag_local.domain.passages import Source
from noderag_local.storage.documents.entry_rows import EntrySentence
from noderag_local.vault.today.due_tasks import due_day, due_tasks


@pytest.mark.parametrize(
    ("text", "written", "due"),
    [
        ("call Anna 📅 2026-11-24", None, date(2026, 11, 24)),
        ("call Anna ➕ 2026-11-01 📅 2026-11-24", None, date(2026, 11, 24)),
        ("call Anna ➕ 2026-11-01", None, None),
        ("rent by 27 November 2026, or phone", None, date(2026, 11, 27)),
        ("Rechnung zahlen, fällig am 30.11.2026 spätestens", None, date(2026, 11, 30)),
        ("answer the letter of 3 March 2026", None, None),
        ("answer Ana, who wrote on 3 March 2026 about the flat", None, None),
        ("2026-11-20: water the ferns", None, date(2026, 11, 20)),
        ("train on 3 December 2026 for all of us", None, date(2026, 12, 3)),
        ("buy milk tomorrow", date(2026, 11, 23), date(2026, 11, 24)),
        ("buy milk tomorrow", None, None),
        ("buy milk", None, None),
    ],
)
def test_the_day_of_a_task(text: str, written: date | None, due: date | None) -> None:
    assert due_day(text, written, TODAY) == due


def test_late_tasks_come_first_and_those_without_a_day_last_the_newest_note_first(page_of: PageOf) -> None:
    todo = "BEGIN:VTODO\nSUMMARY:Tax\nDUE;VALUE=DATE:20261121\nSTATUS:NEEDS-ACTION\nEND:VTODO\n"
    done = todo.replace("Tax", "Done").replace("NEEDS-ACTION", "COMPLETED")
    page = page_of(
        {
            "daily/2026-01-11.md": "- [ ] old books\n",
            "daily/2026-11-20.md": "# Friday\n\nA word.\n\n- [ ] new books\n- [x] bread\n",
            "plan.md": "- [ ] later, by 30 November 2026\n- [ ] late, by 24 November 2026\n",
            "hive.md": "> [!todo] Hive\n> - [ ] paint it by 1 December 2026\n> - [x] move it by 2 December 2026\n",
            "buy.txt": "[ ] gloves\n[x] smoker\n",
            "a.ics": f"BEGIN:VCALENDAR\n{todo}{done}END:VCALENDAR\n",
        }
    )
    assert [(one.text, one.due and one.due.day) for one in page.tasks] == [
        ("Tax", 21),
        ("late, by 24 November 2026", 24),
        ("later, by 30 November 2026", 30),
        ("paint it by 1 December 2026", 1),
        ("new books", None),
        ("gloves", None),
        ("old books", None),
    ]
    assert [one.source.first_line for one in page.tasks] == [2, 2, 1, 2, 5, 1, 1]


def test_a_task_is_of_the_day_that_its_note_tells(page_of: PageOf) -> None:
    told = "---\ncreated: {}\n---\n- [ ] {}\n"
    page = page_of(
        {
            "a.md": told.format("2026-11-20", "bread tomorrow"),
            "b.md": told.format("2026-01-20", "old books"),
            "c.md": told.format("2026-11-23", "new books"),
        }
    )
    assert [(one.text, one.due) for one in page.tasks] == [
        ("bread tomorrow", date(2026, 11, 21)),
        ("new books", None),
        ("old books", None),
    ]


def test_the_day_on_which_a_task_was_written_is_not_the_day_on_which_it_is_due(page_of: PageOf) -> None:
    written = "➕ 2026-11-23 18:05"
    page = page_of(
        {"inbox.md": f"- [ ] milk {written}\n- [ ] bread tomorrow {written}\n- [ ] rent by 2026-12-01 {written}\n"}
    )
    assert [(one.text.split()[0], one.due) for one in page.tasks] == [
        ("bread", date(2026, 11, 24)),
        ("rent", date(2026, 12, 1)),
        ("milk", None),
    ]
    assert {one.written for one in page.tasks} == {date(2026, 11, 23)}
    assert page.appointments == ()


def test_a_long_run_of_spaces_in_a_task_takes_no_time() -> None:
    text = f"milk{' ' * 60_000}x ➕ 2026-11-23"
    sentence = EntrySentence(1, 1, "/a.md", "A", (), "milk", BlockKind.LIST_ITEM)
    source = Source(0, "/a.md", 0, "A", (), 1, 1, 0, 1, "milk")
    started = time.process_time()
    (task,) = due_tasks([OpenBox(text, sentence, 1)], [source], TODAY)
    assert (task.due, task.written) == (None, date(2026, 11, 23))
    assert time.process_time() - started < 2


def test_this_day_in_other_years(page_of: PageOf) -> None:
    page = page_of(
        {
            "daily/2023-11-26.md": "# Sunday\n\nWe walked to the mill.\n\nSoup.\n",
            "daily/2026-11-26.md": "# Today\n\nRain.\n",
            "mill.md": "---\ndate: 2021-11-26\n---\n# Mill\n\nThe mill was shut.\n",
            "house.md": "# House\n\nWe moved in on 26 November 2019.\n\nIt was sold on 27 November 2019.\n",
        }
    )
    assert [(one.day.year, one.text, one.more) for one in page.other_years] == [
        (2023, "We walked to the mill.", 2),
        (2021, "The mill was shut.", 1),
        (2019, "We moved in on 26 November 2019.", 0),
    ]


def test_the_29th_of_february_has_no_other_years_in_between(page_of: PageOf) -> None:
    page = page_of({"daily/2024-02-29.md": "Leap.\n"}, date(2028, 2, 29))
    assert [one.day.year for one in page.other_years] == [2024]


def test_what_changed_lately_a_line_a_file(page_of: PageOf) -> None:
    notes = {"a.jsonl": '{"text": "A fern."}\n{"text": "A moss."}\n'}
    assert page_of(notes).changed == ()
    page = page_of(notes, changed=datetime(2026, 11, 25, 9))
    assert [(one.path.rpartition("/")[2], one.record, one.documents) for one in page.changed] == [("a.jsonl", 0, 2)]
