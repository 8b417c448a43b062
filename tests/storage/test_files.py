from __future__ import annotations

import os

import pytest
from helpers.small_documents import ROOT, add, document

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.storage.database.fact_names import WORDS_LEFT
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.file_rows import FileRows, KnownFile


def test_a_file_is_complete_when_it_is_finished(store: Store) -> None:
    files = FileRows(store)
    number = files.begin(SourceFile("/notes/a.md", 10, 20), ROOT, True, read_by="markdown 1")
    assert files.known() == {"/notes/a.md": KnownFile(number, "/notes/a.md", ROOT, 10, 20, True, False, "markdown 1")}
    files.finish(number, 11, 21, read_by="markdown 1")
    assert files.known() == {"/notes/a.md": KnownFile(number, "/notes/a.md", ROOT, 11, 21, True, True, "markdown 1")}


def test_a_known_file_keeps_its_id_and_documents(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote."]))
    (known,) = FileRows(store).known().values()
    assert FileRows(store).begin(SourceFile("/notes/a.md", 30, 40), "/other", False, read_by="markdown 1") == known.id
    (again,) = FileRows(store).known().values()
    assert (again.root, again.size_bytes, again.modified_ns, again.complete) == ("/other", 30, 40, False)
    assert store.value("SELECT count(*) FROM documents") == 1


def test_roots_are_told_with_how_they_were_read(store: Store) -> None:
    for path, root, by_lines in (("/a/1", "/a", False), ("/a/2", "/a", False), ("/b", "/b", True), ("/c", "", False)):
        FileRows(store).begin(SourceFile(path, 1, 1), root, by_lines, read_by="markdown 1")
    assert FileRows(store).roots() == {("/a", False), ("/b", True), ("/c", False)}


def test_removing_files_removes_their_documents(store: Store) -> None:
    add(store, *(document(f"/notes/{name}.md", [f"{name} wrote."], record=n) for name in "abc" for n in range(2)))
    known = FileRows(store).known()
    assert FileRows(store).remove([known["/notes/a.md"].id, known["/notes/c.md"].id]) == 4
    assert list(FileRows(store).known()) == ["/notes/b.md"]
    assert store.value("SELECT count(*) FROM documents") == 2
    assert FileRows(store).remove([]) == 0


@pytest.mark.parametrize(
    "name", ["caf\u00e9.md", "cafe\u0301.md", os.fsdecode(b"caf\xe9.md"), "tab\tnew\nline.md", "日本.md"]
)
def test_every_name_that_a_file_can_have_comes_back(store: Store, name: str) -> None:
    path = f"/notes/{name}"
    add(store, document(path, ["Ada wrote."]))
    assert list(FileRows(store).known()) == [path]
    assert (
        FileRows(store).begin(SourceFile(path, 1, 1), ROOT, False, read_by="markdown 1")
        == FileRows(store).known()[path].id
    )
    FileRows(store).replace_skipped({path: [Skipped(path, "hidden")]})
    assert FileRows(store).skipped() == [Skipped(path, "hidden")]


def test_skipped_of_a_root_are_those_of_the_last_time(store: Store) -> None:
    first, second, other = (
        Skipped("/a/1", "hidden"),
        Skipped("/a/2", "empty", "No text.", True),
        Skipped("/b/1", "hidden"),
    )
    files = FileRows(store)
    files.replace_skipped({"/a": [first]})
    files.replace_skipped({"/b": [other]})
    files.replace_skipped({"/a": [second]})
    assert files.skipped() == [other, second]


def test_notes_of_what_was_left_out_go_with_their_folder(store: Store) -> None:
    files = FileRows(store)
    paths = ["/notes/a.md", "/notes/private", "/notes/private/b.md", "/notes/private notes.md"]
    files.replace_skipped({ROOT: [Skipped(path, "hidden") for path in paths]})
    files.remove_skipped(["/notes/private"])
    assert [skip.path for skip in files.skipped()] == ["/notes/a.md", "/notes/private notes.md"]


def test_words_of_changed_texts_are_cleared_away_together_and_those_of_a_removed_file_at_once(store: Store) -> None:
    first, *_ = add(store, document("/notes/a.md", ["Ada wrote."]), document("/notes/b.md", ["Bob sang."]))
    DocumentRows(store).remove([first])
    store.checkpoint()
    assert WORDS_LEFT in store.facts
    FileRows(store).remove([FileRows(store).known()["/notes/b.md"].id])
    store.checkpoint()
    assert WORDS_LEFT not in store.facts
