"""Files to documents: the formats together, and everything that can be wrong with a file."""

from __future__ import annotations

import hashlib
import os
import time
import tracemalloc
from pathlib import Path

import pytest
from helpers.word_counter import count_words, read, texts
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.encodings import decode_slice
from noderag_local.ingest.chunks.packing import chunk_documents
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.sync.read_files import HOPELESS, Wanted, read_drafts


def source(path: Path) -> SourceFile:
    return SourceFile(str(path), 0, 0)


MARKDOWN = "# Kopf\r\n\r\nEin *Satz* über [[Köln|Cöln]]. Noch 😀 einer.\r\n\r\n- Punkt A\r\n- Punkt B\r\n\r\n> Zitat\r\n> geht weiter.\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n"


@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("suffix", [".md", ".txt"])
@pytest.mark.parametrize("line_end", ["\r\n", "\n", "\r"])
def test_every_chunk_and_sentence_is_found_in_the_file(tmp_path: Path, name: str, suffix: str, line_end: str) -> None:
    path = tmp_path / f"a{suffix}"
    mark = b"\xfe\xff" if name == "utf-16-be" else b""
    path.write_bytes(mark + (MARKDOWN * 40).replace("\r\n", line_end).encode(name))
    (document,), skipped = read(path)
    assert skipped == [] and len(document.chunks) > 1
    data = path.read_bytes()
    for chunk in document.chunks:
        stretch = data[chunk.passage.start_byte : chunk.passage.end_byte]
        assert decode_slice(stretch, document.encoding) == chunk.text
        assert chunk.text.count("\n") == chunk.passage.last_line - chunk.passage.first_line
        for sentence in chunk.sentences:
            own = decode_slice(data[sentence.passage.start_byte : sentence.passage.end_byte], document.encoding)
            assert own in chunk.text and own.strip() == own
            assert sentence.text.split()[0].strip(".") in own


@given(st.lists(st.text("aB#-*>|`[]()!\\_~=:&; .\n1é日<", max_size=30), max_size=12))
def test_any_markdown_keeps_its_words_and_offsets(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.mktemp("any") / "a.md"
    text = "\n".join(lines)
    path.write_bytes(text.encode())
    documents, skipped = read(path)
    assert len(documents) + len(skipped) == 1
    for document in documents:
        at = 0
        for chunk in document.chunks:
            assert (
                decode_slice(path.read_bytes()[chunk.passage.start_byte : chunk.passage.end_byte], "utf-8")
                == chunk.text
            )
            for sentence in chunk.sentences:
                assert at <= sentence.passage.start < sentence.passage.end
                at = sentence.passage.end
                assert sentence.text.strip()


def test_documents_of_a_lines_file(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes("Erste Zeile. Zweiter Satz.\r\n\r\n  Dritte.\r\n".encode("cp1252"))
    documents, skipped = read(path, by_lines=True)
    assert [(document.record, document.title) for document in documents] == [(0, ""), (1, "")]
    assert texts(documents[0]) == ["Erste Zeile.", "Zweiter Satz."]
    assert documents[1].chunks[0].passage.first_line == 3
    assert documents[1].content_hash == hashlib.sha256(b"  Dritte.").hexdigest()
    assert skipped == []


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [
        b'{"title": "Eins", "text": "Ein \\u00dcberblick. Zwei.", "id": 7}',
        b'{"title": "cut off", "text": "',
        b'{"title": "no text"}',
        b"[1, 2]",
        b'{"text": "bad \xff byte"}',
        b'{"text": "  "}',
        b'{"text": "last \\ud800 one"}',
    ]
    path.write_bytes(b"\n".join(lines))
    documents, skipped = read(path)
    assert [(document.record, document.title) for document in documents] == [(0, "Eins"), (1, "")]
    assert texts(documents[0]) == ["Ein Überblick.", "Zwei."]
    assert texts(documents[1]) == ["last \ufffd one"]
    passage = documents[0].chunks[0].sentences[1].passage
    assert (passage.start_byte, passage.end_byte, passage.first_line, passage.last_line) == (0, len(lines[0]), 1, 1)
    assert [skip.is_error for skip in skipped] == [True, True, True, True, False]
    for number, skip in zip([2, 3, 4, 5, 6], skipped, strict=True):
        assert f"{path}:{number} " in skip.detail


def test_a_binary_file_called_md(tmp_path: Path) -> None:
    path = tmp_path / "photo.md"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 50)
    documents, (skipped,) = read(path)
    assert documents == [] and skipped.is_error
    assert str(path) in skipped.detail and "binary" in skipped.detail


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b" \n\t\r\n", b"---\ntitle: x\n---\n"])
def test_an_empty_file_is_counted_but_no_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(data)
    documents, (skipped,) = read(path)
    assert documents == [] and (skipped.reason, skipped.is_error) == ("empty", False)


def test_invalid_utf8_in_a_note_is_shown_as_a_hole(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes("Größe, Übermut, Äpfel".encode() + b" \xff\xc3 da.")
    (document,), _ = read(path)
    assert texts(document) == ["Größe, Übermut, Äpfel \ufffd\ufffd da."]
    assert document.chunks[0].passage.end_byte == path.stat().st_size


def test_a_folder_called_md_and_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "x.md").mkdir()
    _, (folder,) = read(tmp_path / "x.md")
    _, (missing,) = read(tmp_path / "gone.md")
    assert folder.is_error and str(tmp_path / "x.md") in folder.detail
    assert (missing.reason, missing.is_error) == ("vanished", True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("secret", encoding="utf-8")
    path.chmod(0)
    _, (skipped,) = read(path)
    assert (skipped.reason, skipped.is_error) == ("unreadable", True)


def test_a_file_whose_name_cannot_be_opened(tmp_path: Path) -> None:
    _, (skipped,) = read(tmp_path / ("x" * 300 + ".md"))
    assert (skipped.reason, skipped.is_error) == ("unreadable", True)


def test_a_pipe_that_took_the_place_of_a_file_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    _, (skipped,) = read(tmp_path / "a.md")
    assert skipped.is_error and "no regular file" in skipped.detail


@pytest.mark.parametrize(("change", "message"), [("append", "changed"), ("replace", "changed"), ("remove", "vanished")])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, change: str, message: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("A line of text here.\n" * 100, encoding="utf-8")
    reading = read_drafts(Wanted(source(path), part_bytes=500))
    assert isinstance(next(reading), Draft)
    if change == "append":
        with path.open("a", encoding="utf-8") as file:
            file.write("more")
    elif change == "replace":
        (tmp_path / "new.txt").write_text("other", encoding="utf-8")
        os.replace(tmp_path / "new.txt", path)
    else:
        path.unlink()
    (last,) = list(reading)
    assert isinstance(last, Skipped) and last.is_error
    assert message in last.detail and str(path) in last.detail
    # It may be again what it was, with the same size and time, and is to be read then.
    assert last.reason not in HOPELESS


def test_a_large_file_is_read_in_parts_that_keep_their_places(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Title\n\n## Section\n\n" + "Some words here are ünicode.\n\n" * 200, encoding="utf-8")
    documents, skipped = read(path, part_bytes=1000)
    assert skipped == [] and len(documents) > 3
    assert [document.record for document in documents] == list(range(len(documents)))
    assert {document.title for document in documents} == {"Title"}
    last = documents[-1].chunks[-1]
    assert last.headings == ("Section",)
    assert path.read_bytes()[last.passage.start_byte : last.passage.end_byte].decode() == last.text
    assert last.passage.last_line == 4 + 2 * 200 - 1


def test_the_order_of_documents_never_matters(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One. Two.\nThree four.\nFive.\n", encoding="utf-8")
    drafts = [draft for draft in read_drafts(Wanted(source(path), by_lines=True)) if isinstance(draft, Draft)]
    forwards = chunk_documents(drafts, count_words)
    assert chunk_documents(drafts[::-1], count_words) == forwards[::-1]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".txt", ".md"])
def test_a_line_of_200_megabytes_is_read_in_bounded_memory(tmp_path: Path, suffix: str) -> None:
    """The first parts stand for all: each is cut, measured and thrown away alike."""
    path = tmp_path / f"line{suffix}"
    with path.open("wb") as file:
        for _ in range(200):
            file.write(b"word " * 209_715)
    started = time.process_time()
    tracemalloc.start()
    reading = read_drafts(Wanted(source(path)))
    first, second = next(reading), next(reading)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(first, Draft) and isinstance(second, Draft)
    assert second.sentences[0].start == 0 and second.sentences[0].sentence.passage.start == len(first.text)
    assert max(len(sentence.sentence.text) for sentence in first.sentences) <= 1200
    assert peak < 150 << 20
    assert time.process_time() - started < 30


def test_a_json_record_over_the_limit_is_left_out_and_the_next_one_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "' + "x" * 3000 + '"}\n{"text": "next"}\n', encoding="utf-8")
    documents, (skipped,) = read(path, part_bytes=1000)
    assert [texts(document) for document in documents] == [["next"]]
    assert skipped.is_error and f"{path}:1 " in skipped.detail
