"""A folder of files in every format, indexed for real."""

from __future__ import annotations

import importlib
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.reading_process import read_path
from helpers.small_documents import add
from helpers.word_counter import read, sentences

from noderag_local.config import Settings
from noderag_local.domain.errors import NotFound
from noderag_local.ingest.formats.code.code_definitions import LANGUAGES
from noderag_local.ingest.formats.extract import Extractor
from noderag_local.ingest.formats.registry import FORMATS, TEXT_BY_LINES, Format, format_of
from noderag_local.ingest.formats.text.text_reader import TextReader
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.vault.browsing.note_page import note_page
from noderag_local.vault.browsing.show import shown
from noderag_local.vault.vault import Vault

DATA = Path(__file__).parents[2] / "data" / "formats"
FIXTURES = [path for path in sorted(DATA.iterdir()) if not format_of(path.name).is_text]
TABLE = "Name,Town\nMarta,Porto\nJonas,Lisbon\n"
CUES = "1\n00:00:01,000 --> 00:00:03,000\nThe crane in the harbour is red.\n\n2\n00:01:05,000 --> 00:01:07,000\nMarta painted it.\n"


@pytest.fixture(scope="module")
def process() -> Iterator[WorkerProcess]:
    with WorkerProcess() as started:
        yield started


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Text, formats with lines and without, and a file that is not what its name says."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Harbour\n\nThe boat of Marta is blue.\n", encoding="utf-8")
    (folder / "b.csv").write_text(TABLE, encoding="utf-8")
    (folder / "c.srt").write_text(CUES, encoding="utf-8")
    (folder / "d.docx").write_bytes(b"PK\x03\x04 no zip at all")
    shutil.copy(DATA / "known-pandoc.docx", folder / "e.docx")
    return folder


def texts_of(folder: Path) -> list[tuple[object, ...]]:
    """Every sentence with its place, in reading order."""
    with Store.open(folder, write=False) as store:
        return store.rows(
            "SELECT f.path, s.position, s.text, s.place, s.first_line, s.start_byte FROM sentences s"
            " JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id"
            " ORDER BY 1, 2"
        )


@pytest.mark.parametrize("known", [*FORMATS, TEXT_BY_LINES], ids=lambda known: known.module)
def test_every_format_has_a_reader_of_its_sort(known: Format) -> None:
    module = importlib.import_module(known.full_module)
    assert isinstance(getattr(module, "EXTRACTOR", None), Extractor) is not known.is_text
    assert isinstance(getattr(module, "READER", None), TextReader) is known.is_text


def test_no_two_formats_share_a_name_a_module_or_an_ending() -> None:
    every = [*FORMATS, TEXT_BY_LINES]
    assert len({known.name for known in every}) == len({known.module for known in every}) == len(every)
    endings = [suffix for known in FORMATS if not known.paths for suffix in known.suffixes]
    assert len(set(endings)) == len(endings)


def test_every_ending_of_source_code_has_a_language() -> None:
    assert set(format_of("a.py").suffixes) == set(LANGUAGES)


@pytest.mark.parametrize(
    ("path", "name", "by_lines"),
    [("a.MD", "markdown", "lines"), ("a.log", "plain", "lines"), ("a", "plain", "lines"), ("a.jsonl", "jsonl", "jsonl"),
     ("a.csv", "tables", "tables"), ("a.pdf", "pdf", "pdf"), ("_chat.txt", "whatsapp", "whatsapp")],
)  # fmt: skip
def test_lines_are_documents_in_text_alone(path: str, name: str, by_lines: str) -> None:
    assert (format_of(path).name, format_of(path, by_lines=True).name) == (name, by_lines)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_every_document_of_a_format_keeps_the_contract(path: Path, process: WorkerProcess) -> None:
    """And does so inside the limits, which the tests of a format alone do not show."""
    documents = read_path(process, path)
    assert documents
    for document in documents:
        for one in document.sentences:
            assert one.sentence.text.strip()
            assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in one.sentence.text)
            assert 0 <= one.sentence.passage.first_line <= one.sentence.passage.last_line
            assert "" not in one.headings


def test_a_text_with_lines_is_placed_by_them_and_one_without_by_its_place(notes: Path) -> None:
    (table,), _ = read(notes / "b.csv")
    assert {sentence.passage.first_line for sentence in sentences(table)} >= {2, 3}
    assert table.encoding == ""


def test_a_file_that_is_none_of_its_format_costs_itself_and_is_named(notes: Path) -> None:
    documents, (skipped,) = read(notes / "d.docx")
    assert documents == []
    assert (skipped.reason, skipped.is_error) == ("not readable", True)
    assert skipped.detail.startswith(f"{notes / 'd.docx'} cannot be read: ")
    assert skipped.detail.endswith("Fix it or exclude it.")


def test_a_folder_of_all_kinds_is_indexed_twice_to_the_same_and_again_in_no_time(
    tmp_path: Path, notes: Path, settings: Settings
) -> None:
    digests = []
    for name in ("one", "two"):
        with Vault(tmp_path / name, settings) as vault:
            report = vault.index([notes])
            assert report.added == 4
            assert [Path(skip.path).name for skip in report.skipped if skip.is_error] == ["d.docx"]
            again = vault.index([notes])
            # The broken one is not tried again as long as it stays as it is.
            assert (again.added, again.changed, again.unchanged) == (0, 0, 5)
            assert again.skipped == report.skipped
        with Store.open(tmp_path / name, write=False) as store:
            digests.append(digest(store))
    assert digests[0] == digests[1]


def test_a_changed_row_is_indexed_again_and_equals_a_fresh_vault(
    tmp_path: Path, notes: Path, settings: Settings
) -> None:
    with Vault(tmp_path / "one", settings) as vault:
        vault.index([notes])
        (notes / "b.csv").write_text(TABLE + "Ada,Graz\n", encoding="utf-8")
        report = vault.index([notes])
    assert (report.added, report.removed, report.changed) == (1, 1, 1)
    with Vault(tmp_path / "two", settings) as vault:
        vault.index([notes])
    assert texts_of(tmp_path / "one") == texts_of(tmp_path / "two")


def test_what_is_found_names_its_place_and_is_shown_in_the_text_as_it_was_read(
    tmp_path: Path, notes: Path, settings: Settings
) -> None:
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([notes])
        (source, *_) = vault.search("Who painted the red crane?", method="bm25").sources
        assert Path(source.path).name == "c.srt"
        note = vault.atlas.note(vault.atlas.note_at(source.path, source.record))
        lines = note.text.lines_of(source)
        assert lines is not None
        assert set(source.text.split()) <= set(" ".join(note.text.lines[lines[0] : lines[1] + 1]).split())
        assert source.place == "00:00:01 – 00:01:05"
        assert dict(vault.show(str(notes / "e.docx")).kinds)["encoding"].startswith("none")
    with Store.open(tmp_path / "vault", write=False) as store:
        found = Overview(store).find_document("e.docx")
        assert found is not None
        passages = TextRows(store).passages(Overview(store).sentences_of_document(found.id))
        text = note_page(store, found.id).text
        assert not text.is_file
        for passage in passages:
            first, last = text.lines_of(passage) or (0, -1)
            assert passage.text.strip() in " ".join(text.lines[first : last + 1])
        assert text.lines_of(replace(passages[0], text="Nothing like it.")) is None


def test_a_place_is_shown_by_the_name_that_citations_give_it(tmp_path: Path) -> None:
    slides = tmp_path / "a, b.pptx"
    shutil.copy(DATA / "slides-pandoc.pptx", slides)
    documents, _ = read(slides)
    with Store.open(tmp_path / "vault", write=True) as store:
        add(store, *documents)
        second = shown(store, f"{slides}, slide 2")
        assert dict(second.kinds)["place"] == "slide 2"
        assert {source.place for source in second.passages} == {"slide 2"}
        both = shown(store, f"{slides}, slide 1 – slide 2")
        assert {source.place for source in both.passages} == {"slide 1", "slide 2"}
        with pytest.raises(NotFound):
            shown(store, f"{slides}, slide 999")


INDEX = """
import pathlib, sys
from noderag_local.config import load_settings
from noderag_local.vault.browsing.note_page import note_page
from noderag_local.vault.vault import Vault
with Vault(pathlib.Path(sys.argv[1]), load_settings(models_dir=pathlib.Path(sys.argv[1]) / "none")) as vault:
    print("begun", flush=True)
    vault.index([pathlib.Path(sys.argv[2])])
"""


def test_a_run_that_is_killed_while_files_are_read_goes_on(tmp_path: Path, notes: Path, settings: Settings) -> None:
    for seconds in (0.5, 1.5):
        command = [sys.executable, "-c", INDEX, str(tmp_path / "killed"), str(notes)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None and run.stdout.readline() == "begun\n"
            time.sleep(seconds)
            run.send_signal(signal.SIGKILL)
    for name in ("killed", "alone"):
        with Vault(tmp_path / name, settings) as vault:
            vault.index([notes])
            assert all(finding.ok for finding in vault.check())
    assert texts_of(tmp_path / "killed") == texts_of(tmp_path / "alone")
