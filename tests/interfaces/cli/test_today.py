"""`noderag today`."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from helpers.command_line import Noderag
from helpers.note_files import written_notes


def test_it_lists_the_day_with_the_places(noderag: Noderag, tmp_path: Path) -> None:
    today = date.today()
    near, late, then = today + timedelta(3), today - timedelta(3), today.replace(year=today.year - 4, day=1)
    notes = written_notes(
        tmp_path / "notes",
        {
            "plan.md": f"# Plan\n\nDentist on {near}.\n\n- [ ] pay by {late}\n- [ ] gloves \x1b[31m\n",
            f"{then}.md": "Walked.\n",
            "work/a.md": f"Lunch on {near}.\n",
        },
    )
    vault = tmp_path / "vault"
    noderag("index", notes, "--vault", vault)
    shown = noderag("today", "--vault", vault)
    assert shown.code == 0
    assert f"Dentist on {near}.  {notes / 'plan.md'}:3" in shown.out
    assert f"3 days late  pay by {late}  {notes / 'plan.md'}:5" in shown.out
    assert "Open tasks, 1 of 2 late" in shown.out
    assert "\x1b" not in shown.out
    told = noderag("today", "--days", 2, "--vault", vault, "--json").document
    assert (told["day"], told["last"], told["appointments"]) == (str(today), str(today + timedelta(2)), [])
    assert told["tasks"][0]["due"] == str(late)
    assert len(told["changed"]) == 3
    inside = noderag("today", "--folder", "work", "--vault", vault, "--json").document
    assert [one["text"] for one in inside["appointments"]] == [f"Lunch on {near}."]
    assert (inside["tasks"], len(inside["changed"])) == ([], 1)


def test_without_a_vault_it_says_what_to_do(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("today", "--vault", tmp_path / "none")
    assert (done.code, done.out) == (4, "")
    assert "noderag index" in done.err
