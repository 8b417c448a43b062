"""Zotero's library: what is read of it, what is left out, and that nothing is written beside it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from helpers.changing_notes import index
from helpers.reading_process import read_path
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import documents, texts

from noderag_local.domain.documents import WikiLink
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.extract import ExtractedDocument
from noderag_local.ingest.formats.registry import known_format
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.scan import scan
from noderag_local.storage.database.store import Store
from noderag_local.vault.browsing.library import library
from noderag_local.vault.browsing.note_page import note_page

LIBRARY = DOCUMENTS / "zotero.sqlite"
PDF = "Lind and Okafor - 2017 - Late frost in orchards"


def works(data: bytes) -> dict[str, ExtractedDocument]:
    return {found.title: found for found in documents("zotero", data, "zotero.sqlite")}


def changed(tmp_path: Path, *statements: str) -> bytes:
    """The library after some changes in it."""
    path = tmp_path / "zotero.sqlite"
    shutil.copy(LIBRARY, path)
    rows = sqlite3.connect(path)
    for statement in statements:
        rows.executescript(statement)
    rows.close()
    return path.read_bytes()


@pytest.fixture(scope="module")
def read() -> dict[str, ExtractedDocument]:
    return works(LIBRARY.read_bytes())


def test_a_work_has_people_details_notes_and_annotations(read: dict[str, ExtractedDocument]) -> None:
    frost = read["Late frost in orchards"]
    assert [(block.headings, block.place, block.text) for block in frost.blocks] == [
        ((), "Lind & Okafor 2017", "“Late frost in orchards”: journal article by Mara Lind and Amara Okafor, in Journal of Pomology, 2017-06-12."),
        ((), "Lind & Okafor 2017", "Volume: 30; Pages: 11–19; DOI: 10.9999/pomology.30.11; Address: https://pomology.example/30/11; Link: https://pomology.example/about."),
        ((), "Lind & Okafor 2017", "Collections: Thesis > Frost, Reading list; Added to Zotero: 2021-05-03."),
        ((), "Lind & Okafor 2017", f"File: {PDF}.pdf."),
        ((), "Lind & Okafor 2017", "Abstract"),
        (("Abstract",), "Lind & Okafor 2017", "Blossoms die at minus two degrees."),
        (("Abstract",), "Lind & Okafor 2017", "Sprinklers save most of them."),
        ((), "Lind & Okafor 2017", "Extra"),
        (("Extra",), "Lind & Okafor 2017", "Read before the meeting in Rinteln"),
        ((), "Lind & Okafor 2017", "Note"),
        (("Note",), "Lind & Okafor 2017", "What we could try"),
        (("Note", "What we could try"), "Lind & Okafor 2017", "Ask Jürgen Weißenfels for the sprinklers."),
        (("Note", "What we could try"), "Lind & Okafor 2017", "two pumps"),
        ((), "Lind & Okafor 2017", "Annotations"),
        (("Annotations",), "Lind & Okafor 2017, page 12", "Page 12: A candle under each tree costs more than the harvest."),
        (("Annotations",), "Lind & Okafor 2017, page 13", "Comment on page 13: This figure shows our terrace"),
        (("Annotations",), "Lind & Okafor 2017, page 14", "Page 14: The pumps ran for eleven nights."),
        (("Annotations",), "Lind & Okafor 2017, page 14", "Comment on page 14: Which pumps?"),
    ]  # fmt: skip
    assert frost.tags == ("Fruit trees", "late frost", "to do")
    assert frost.aliases == ("lind2017", "@lind2017")
    assert frost.blocks[3].links == (WikiLink(PDF, PDF),)
    assert frost.blocks[14].tags == ("costs",)


def test_works_of_all_kinds_and_of_groups_are_read(read: dict[str, ExtractedDocument]) -> None:
    assert texts(read["Grafting"]) == [
        "“Grafting”: book chapter by Pomological Society, edited by Tomás Ruiz, in The handbook of old varieties, 1998.",
        "Publisher: Wesertal Press.",
        "Collections: Thesis; Added to Zotero: 2021-05-03.",
    ]
    assert texts(read["Brewery v. Orchard"]) == [
        "“Brewery v. Orchard”: case, 2003-09.",
        "Library of the group: Pomologists of Rinteln; Added to Zotero: 2021-05-03.",
        "File: verdict.pdf.",
    ]


def test_notes_and_marked_files_without_a_work_are_documents(read: dict[str, ExtractedDocument]) -> None:
    plan = read["Plan of the summer"]
    assert [(block.place, block.text) for block in plan.blocks] == [
        ("note Plan of the summer", "Plan of the summer"),
        ("note Plan of the summer", "Weigh the Boskoop of row four."),
    ]
    assert texts(read["Map of the terrace"])[-1] == "Page 1: The spring lies behind the press."


def test_what_is_in_the_bin_and_in_feeds_is_left_out(read: dict[str, ExtractedDocument]) -> None:
    assert set(read) == {
        "Late frost in orchards",
        "Grafting",
        "Brewery v. Orchard",
        "Pears",
        "Plan of the summer",
        "Map of the terrace",
    }
    said = " ".join(text for found in read.values() for text in texts(found))
    for gone in ("in the bin", "taken back", "Old plans", "nobody has"):
        assert gone not in said


def test_a_file_name_that_several_works_have_links_to_none(read: dict[str, ExtractedDocument]) -> None:
    assert "main" not in " ".join(texts(read["Grafting"]) + texts(read["Pears"]))


def test_a_database_of_an_older_version_is_read(tmp_path: Path, read: dict[str, ExtractedDocument]) -> None:
    older = "; ".join(f"DROP TABLE {name}" for name in ("itemAnnotations", "deletedCollections", "groups", "feeds"))
    found = works(changed(tmp_path, f"{older}; DELETE FROM itemTypes WHERE typeName = 'annotation'"))
    assert "Annotations" not in texts(found["Late frost in orchards"])
    assert texts(found["Grafting"]) == texts(read["Grafting"])


def test_a_database_with_a_log_of_changes_is_read(tmp_path: Path, read: dict[str, ExtractedDocument]) -> None:
    data = changed(tmp_path, "PRAGMA journal_mode = WAL")
    assert data[18:20] == b"\x02\x02"
    assert works(data) == read


def test_marks_of_html_in_a_title_are_not_shown(tmp_path: Path) -> None:
    title = "UPDATE itemDataValues SET value = 'Scab of <i>Malus</i> at <b>p < 0.05</b>' WHERE value = 'Grafting'"
    assert "Scab of Malus at p < 0.05" in works(changed(tmp_path, title))


def test_collections_in_a_ring_end(tmp_path: Path) -> None:
    found = works(changed(tmp_path, "UPDATE collections SET parentCollectionID = 2 WHERE collectionID = 1"))
    assert "Thesis > Frost" in " ".join(texts(found["Grafting"]))


def test_values_of_other_types_cost_no_library(tmp_path: Path) -> None:
    data = changed(
        tmp_path,
        "UPDATE itemDataValues SET value = x'ff00fe' WHERE value LIKE 'Blossoms%'",
        "UPDATE itemNotes SET note = 12, title = 1.5",
        "UPDATE creators SET lastName = NULL, fieldMode = 'x'",
        "UPDATE itemAttachments SET path = 7 WHERE linkMode = 2",
    )
    assert "Late frost in orchards" in works(data)


def test_a_note_that_is_nested_without_end_costs_itself(tmp_path: Path) -> None:
    deep = "<div>" * 10_000
    found = works(changed(tmp_path, f"UPDATE itemNotes SET note = '{deep}x' WHERE parentItemID IS NOT NULL"))
    frost = found["Late frost in orchards"]
    assert frost.notices == (
        "a note of “Late frost in orchards” cannot be read: its elements are nested more than 3000 deep",
    )
    assert texts(frost)[-1] == "Comment on page 14: Which pumps?"


def test_a_query_in_place_of_a_table_is_not_run(tmp_path: Path) -> None:
    data = changed(tmp_path, "DROP TABLE items; CREATE VIEW items AS SELECT 1 AS itemID")
    with pytest.raises(DocumentError, match="not Zotero's"):
        works(data)


@pytest.mark.parametrize(
    "data", [b"", b"no database", LIBRARY.read_bytes()[:5000], LIBRARY.read_bytes()[:100] + bytes(20_000)]
)
def test_what_is_no_database_is_told(data: bytes) -> None:
    with pytest.raises(DocumentError, match=r"not an SQLite database|not a Zotero database"):
        works(data)


def test_another_database_is_none_of_zotero(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    rows = sqlite3.connect(path)
    rows.executescript("CREATE TABLE a (b); INSERT INTO a VALUES (1)")
    rows.close()
    with pytest.raises(DocumentError, match="not Zotero's"):
        works(path.read_bytes())


def zotero_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Zotero"
    (folder / "storage" / "ABCD0003").mkdir(parents=True)
    (folder / "translators").mkdir()
    (folder / "translators" / "a.js").write_text("// Detects pages.\n", encoding="utf-8")
    shutil.copy(LIBRARY, folder / "zotero.sqlite")
    shutil.copy(LIBRARY, folder / "zotero.sqlite.bak")
    shutil.copy(DOCUMENTS / "known-groff.pdf", folder / "storage" / "ABCD0003" / f"{PDF}.pdf")
    return folder


def test_the_scripts_of_zotero_are_left_out_and_its_database_may_be_large(tmp_path: Path) -> None:
    folder = zotero_folder(tmp_path)
    found = scan([folder], 1)
    assert [os.path.basename(file.path) for file in found.files] == ["zotero.sqlite"]
    assert {os.path.basename(one.path): one.reason for one in found.skipped} == {
        "translators": "own files of Zotero",
        f"{PDF}.pdf": "over 9.53674e-07 MB",
        "zotero.sqlite.bak": "not a text document",
    }
    os.truncate(folder / "zotero.sqlite", (256 << 20) + 1)
    assert scan([folder], 1).files == ()
    assert known_format("/a/other.sqlite") is None


def test_the_record_of_a_paper_and_its_file_lead_to_each_other_and_zotero_is_not_disturbed(tmp_path: Path) -> None:
    folder = zotero_folder(tmp_path)
    # Zotero holds its database locked for itself as long as it runs.
    held = sqlite3.connect(folder / "zotero.sqlite", isolation_level=None)
    held.execute("PRAGMA locking_mode = EXCLUSIVE")
    held.execute("BEGIN EXCLUSIVE")
    before = {path: path.stat() for path in folder.rglob("*")}
    with Store.open(tmp_path / "vault", write=True) as store:
        report = index(store, folder)
        assert (report.added, [one.path for one in report.skipped if one.is_error]) == (7, [])
        nodes = {document.title: document.node for document in library(store).documents}
        page = note_page(store, nodes["Late frost in orchards"])
        (pdf,) = [document.node for document in library(store).documents if document.path.endswith(".pdf")]
        assert pdf in {linked.node for linked in page.links}
        assert nodes["Late frost in orchards"] in {linked.node for linked in note_page(store, pdf).linked_from}
    held.execute("ROLLBACK")
    held.close()
    after = {path: path.stat() for path in folder.rglob("*")}
    assert {path: (status.st_mtime_ns, status.st_size) for path, status in after.items()} == {
        path: (status.st_mtime_ns, status.st_size) for path, status in before.items()
    }


def test_a_change_in_the_library_reads_only_the_work_anew(tmp_path: Path) -> None:
    folder = zotero_folder(tmp_path)
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, folder)
        (folder / "zotero.sqlite").write_bytes(
            changed(
                tmp_path, "UPDATE itemAnnotations SET comment = 'Those of Weser Pumps.' WHERE comment = 'Which pumps?'"
            )
        )
        report = index(store, folder)
        assert (report.added, report.removed) == (1, 1)


def test_a_library_is_read_behind_the_walls() -> None:
    with WorkerProcess() as process:
        assert len(read_path(process, LIBRARY)) == 6
