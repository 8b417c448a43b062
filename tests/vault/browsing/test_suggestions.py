"""Questions that the notes themselves suggest."""

from __future__ import annotations

from pathlib import Path

import noderag_local
from noderag_local.config import load_settings
from noderag_local.storage.database.store import Store
from noderag_local.vault.browsing.suggestions import suggested_questions
from noderag_local.vault.vault import Vault

NOTES = Path(noderag_local.__file__).parent / "evaluation" / "demo" / "notes"


def suggested(folder: Path, *sources: Path) -> tuple[str, ...]:
    """For a vault of these files, indexed one after the other."""
    with Vault(folder, load_settings(models_dir=folder / "no-models")) as vault:
        for source in sources:
            vault.index([source])
    with Store.open(folder, write=False) as store:
        return suggested_questions(store)


def test_the_sample_notes_suggest_three_of_different_kinds(tmp_path: Path) -> None:
    found = suggested(tmp_path / "vault", NOTES)
    assert len(found) == 3
    about, month, title = found
    assert about.startswith("What do my notes say about ")
    assert month.startswith("What happened in ")
    assert title.startswith("What is “")


def test_open_tasks_are_asked_for_where_there_are_some(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("Marta met Jonas.\n\n- [ ] call Marta\n", encoding="utf-8")
    assert "What do I still have to do?" in suggested(tmp_path / "vault", note)


def test_the_order_of_indexing_does_not_matter(tmp_path: Path) -> None:
    folders = sorted(path for path in NOTES.iterdir() if path.is_dir())
    forwards = suggested(tmp_path / "forwards", *folders)
    assert forwards == suggested(tmp_path / "backwards", *reversed(folders))


def test_code_suggests_nothing(tmp_path: Path) -> None:
    note = tmp_path / "code.md"
    code = "\n".join(f"RunEverything Reactor{n} Reactor{n} 2024-03-0{n}" for n in range(1, 9))
    note.write_text(f"# Notes\n\nJonas met Marta. Then Jonas rang Marta.\n\n```\n{code}\n```\n", encoding="utf-8")
    told = " ".join(suggested(tmp_path / "vault", note))
    assert "Marta" in told
    assert "Reactor" not in told and "RunEverything" not in told and "2024" not in told


def test_a_hostile_name_is_shown_harmlessly(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Eve\u202el\x1b il\n\n## Plan\x9b2J\n\nSomebody wrote this down.\n", encoding="utf-8")
    told = "".join(suggested(tmp_path / "vault", note))
    assert "“" in told
    assert all(sign.isprintable() for sign in told)


def test_an_empty_vault_suggests_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        assert suggested_questions(store) == ()


def test_people_of_several_notes_are_asked_about_and_no_words_that_open_sentences(tmp_path: Path) -> None:
    for day in range(1, 9):
        lines = ["Swept the yard.", "Rinsed jars.", "Walked with Ines Calder." if day < 4 else "Rain."]
        (tmp_path / f"2024-03-0{day}.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "once.md").write_text("Once there was Tom Archer, and Tom Archer, and Tom Archer.\n", encoding="utf-8")
    first, *_ = suggested(tmp_path / "vault", tmp_path)
    assert first == "What do my notes say about Ines Calder?"


def test_a_table_is_not_asked_about(tmp_path: Path) -> None:
    rows = "".join(f"2024-03-0{day},bread,{day}.20\n" for day in range(1, 9))
    (tmp_path / "spending.csv").write_text(f"date,what,amount\n{rows}", encoding="utf-8")
    (tmp_path / "walk.md").write_text("# The long walk\n\nIt was long.\n", encoding="utf-8")
    assert suggested(tmp_path / "vault", tmp_path) == ("What is “The long walk” about?",)
