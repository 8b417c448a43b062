"""Documents with their state, and the folders that they came from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.small_documents import ROOT, add, document

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.domain.library import DocumentState, LibraryDocument
from noderag_local.extraction.statements.semantic_units import Decomposition
from noderag_local.storage.database.fact_names import TEXTS
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows
from noderag_local.vault.browsing.left_out import LeftOut
from noderag_local.vault.browsing.library import Library, library


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path, write=True) as opened:
        yield opened


def read(store: Store, *statuses: str, error: str = "") -> None:
    """The language model has been through the first chunks."""
    chunks = TextRows(store).chunk_table().ids.tolist()
    for chunk, status in zip(chunks, statuses, strict=False):
        item = WorkItem("model", "1", "", status, error if status == "failed" else "", 1, 0)
        WorkItemRows(store).put(Decomposition.name, chunk, item)


def only(found: Library) -> LibraryDocument:
    (one,) = found.documents
    return one


def test_an_empty_vault_has_nothing(store: Store) -> None:
    assert library(store) == Library((), (), (), is_complete=True)


def test_documents_that_not_every_stage_has_seen_leave_it_incomplete(store: Store) -> None:
    add(store, document("/notes/a.md", ["One."]))
    store.facts[TEXTS] = "1"
    assert not library(store).is_complete


class TestStates:
    def test_what_was_indexed_is_indexed(self, store: Store) -> None:
        add(store, document("/notes/a.md", ["One."], ["Two."], title="A"))
        found = only(library(store))
        assert (found.state, found.title, found.chunks, found.read_chunks) == (DocumentState.INDEXED, "A", 2, 0)

    def test_the_language_model_reads_on_chunk_by_chunk(self, store: Store) -> None:
        add(store, document("/notes/a.md", ["One."], ["Two."]))
        read(store, "done")
        assert (only(library(store)).state, only(library(store)).read_chunks) == (DocumentState.PARTLY_READ, 1)
        read(store, "done", "done")
        assert only(library(store)).state is DocumentState.READ

    def test_a_chunk_that_the_model_made_nothing_of_is_told_with_its_reason(self, store: Store) -> None:
        add(store, document("/notes/a.md", ["One."], ["Two."]))
        read(store, "done", "failed", error="no statement stands in the text")
        found = only(library(store))
        assert (found.state, found.read_chunks, found.failed_chunks) == (DocumentState.PARTLY_READ, 2, 1)
        assert found.reason == "no statement stands in the text"

    def test_other_stages_do_not_count(self, store: Store) -> None:
        add(store, document("/notes/a.md", ["One."]))
        (chunk,) = TextRows(store).chunk_table().ids.tolist()
        WorkItemRows(store).put("attributes", chunk, WorkItem("model", "1", "", "done", "", 1, 0))
        assert only(library(store)).state is DocumentState.INDEXED

    def test_a_file_that_was_cut_short_is_unfinished(self, store: Store) -> None:
        file_id = FileRows(store).begin(SourceFile("/notes/a.md", 10, 1), ROOT, by_lines=False, read_by="markdown 1")
        DocumentRows(store).add(file_id, [document("/notes/a.md", ["One."])], [2])
        assert only(library(store)).state is DocumentState.UNFINISHED

    def test_files_that_could_not_be_read_stand_first_with_their_reason(self, store: Store) -> None:
        add(store, document("/notes/a.md", ["One."]))
        skipped = [
            Skipped("/notes/b.md", "unreadable", "/notes/b.md cannot be read: denied.", is_error=True),
            Skipped("/notes/.git", "version control"),
            Skipped("/notes/c.pdf", "not a text document"),
            Skipped("/notes/d.pdf", "not a text document"),
        ]
        FileRows(store).replace_skipped({ROOT: skipped})
        found = library(store)
        assert [one.path for one in found.documents] == ["/notes/b.md", "/notes/a.md"]
        assert (found.documents[0].state, found.documents[0].reason) == (
            DocumentState.FAILED,
            "/notes/b.md cannot be read: denied.",
        )
        assert found.left_out == (
            LeftOut("not a text document", ("/notes/c.pdf", "/notes/d.pdf")),
            LeftOut("version control", ("/notes/.git",)),
        )


class TestFolders:
    def test_a_file_of_many_records_counts_once(self, store: Store) -> None:
        file_id = FileRows(store).begin(
            SourceFile("/notes/all.jsonl", 500, 1), ROOT, by_lines=False, read_by="markdown 1"
        )
        records = [document("/notes/all.jsonl", ["One."], record=number) for number in range(3)]
        DocumentRows(store).add(file_id, records, [2, 2, 2])
        FileRows(store).finish(file_id, 500, 1, read_by="markdown 1")
        (folder,) = library(store).folders
        assert (folder.path, folder.files, folder.documents, folder.size_bytes) == (ROOT, 1, 3, 500)

    def test_folders_that_are_read_line_by_line_are_kept_apart(self, store: Store) -> None:
        for path, by_lines in (("/notes/a.txt", False), ("/notes/b.txt", True)):
            file_id = FileRows(store).begin(SourceFile(path, 5, 1), ROOT, by_lines=by_lines, read_by="markdown 1")
            DocumentRows(store).add(file_id, [document(path, ["One."])], [2])
        assert [(folder.path, folder.by_lines) for folder in library(store).folders] == [(ROOT, False), (ROOT, True)]
